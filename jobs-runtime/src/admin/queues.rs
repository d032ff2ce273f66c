//! What an operator says of queues, tenants and limits while work goes on. Each is a setting, and
//! holds from the next claim on, for every worker.

use super::{Admin, MAX_TRIES};
use crate::Error;
use crate::contract::{JobLimits, QueueSetting, SettingWrite, TenantSetting};
use crate::core::Limit;
use serde_json::{Map, Value};

/// A setting as JSON. Fields that this version does not know stay as they are.
type Fields = Map<String, Value>;

impl Admin<'_> {
    /// Takes no more jobs from a queue, on any worker, until it is resumed. What runs goes on.
    ///
    /// # Errors
    /// If the setting could not be stored.
    pub async fn pause(&self, queue: &str) -> Result<(), Error> {
        let pause = |fields: &mut Fields| drop(fields.insert("paused".into(), true.into()));
        self.edit(&QueueSetting::key(queue), pause).await
    }

    /// Takes jobs from a paused queue again.
    ///
    /// # Errors
    /// If the setting could not be stored.
    pub async fn resume(&self, queue: &str) -> Result<(), Error> {
        let resume = |fields: &mut Fields| drop(fields.remove("paused"));
        self.edit(&QueueSetting::key(queue), resume).await
    }

    /// Holds a queue as a whole to a limit, or with [`Limit::NONE`] to none. Jobs that run go on.
    ///
    /// ```
    /// use jobs_runtime::{Jobs, Limit};
    ///
    /// # async fn example(jobs: Jobs) -> Result<(), jobs_runtime::Error> {
    /// jobs.admin().limit_queue("slow", Limit::NONE.concurrency(5)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the setting could not be stored.
    pub async fn limit_queue(&self, queue: &str, limit: Limit) -> Result<(), Error> {
        let set = |fields: &mut Fields| put(fields, limit);
        self.edit(&QueueSetting::key(queue), set).await
    }

    /// Holds each tenant to a limit in this queue.
    ///
    /// # Errors
    /// If the setting could not be stored.
    pub async fn limit_tenants(&self, queue: &str, limit: Limit) -> Result<(), Error> {
        let set = |fields: &mut Fields| put_in(fields, "tenant", limit);
        self.edit(&QueueSetting::key(queue), set).await
    }

    /// Holds one tenant to a limit in each queue, in place of what the queue says of tenants.
    ///
    /// # Errors
    /// If the setting could not be stored.
    pub async fn limit_tenant(&self, tenant: &str, limit: Limit) -> Result<(), Error> {
        let set = |fields: &mut Fields| put(fields, limit);
        self.edit(&TenantSetting::key(tenant), set).await
    }

    /// Gives a tenant so many jobs in a row when it is its turn; 1 is what everybody has.
    ///
    /// # Errors
    /// If the setting could not be stored.
    pub async fn weigh_tenant(&self, tenant: &str, weight: u32) -> Result<(), Error> {
        let set = |fields: &mut Fields| match weight {
            0 | 1 => drop(fields.remove("weight")),
            more => drop(fields.insert("weight".into(), more.into())),
        };
        self.edit(&TenantSetting::key(tenant), set).await
    }

    /// Holds the jobs of a definition to another limit than the one it declares, for each limit
    /// key; [`Limit::NONE`] gives back what it declares. `name` is the definition's oldest durable
    /// name. A definition without a limit has no limit keys, and this holds none of its jobs.
    ///
    /// # Errors
    /// If the setting could not be stored.
    pub async fn limit_job(&self, name: &str, limit: Limit) -> Result<(), Error> {
        let set = |fields: &mut Fields| put_in(fields, "override", limit);
        self.edit(&JobLimits::key(name), set).await
    }

    /// Reads, changes and writes a setting, again if somebody else was faster.
    async fn edit(&self, key: &str, change: impl Fn(&mut Fields)) -> Result<(), Error> {
        for _ in 0..MAX_TRIES {
            let settings = self.store.settings(key).await?;
            let found = settings.iter().find(|setting| setting.key == key);
            let stored = found.and_then(|setting| serde_json::from_slice(&setting.value).ok());
            let stored: Fields = stored.unwrap_or_default();
            let mut fields = stored.clone();
            change(&mut fields);
            if fields == stored {
                return Ok(());
            }
            let value = Value::Object(fields);
            let is_empty = value.as_object().is_some_and(Map::is_empty);
            let write = SettingWrite {
                key: key.into(),
                value: (!is_empty).then(|| value.to_string().into_bytes()),
                expected: found.map_or(0, |setting| setting.revision),
                jobs: Vec::new(),
            };
            if self.store.write_setting(&write).await?.is_some() {
                return Ok(());
            }
        }
        Err(Error::setting_conflict(key))
    }
}

fn put(fields: &mut Fields, limit: Limit) {
    match limit.concurrency {
        Some(most) => drop(fields.insert("concurrency".into(), most.into())),
        None => drop(fields.remove("concurrency")),
    }
    match limit.rate {
        Some(rate) => drop(fields.insert("rate".into(), rate.to_string().into())),
        None => drop(fields.remove("rate")),
    }
}

fn put_in(fields: &mut Fields, name: &str, limit: Limit) {
    let mut inner = match fields.remove(name) {
        Some(Value::Object(inner)) => inner,
        _ => Fields::new(),
    };
    put(&mut inner, limit);
    if !inner.is_empty() {
        fields.insert(name.into(), Value::Object(inner));
    }
}
