//! What the settings of queues, tenants and definitions say, as a driver reads them in a claim.
//!
//! Each is JSON. Fields that this version does not know are left alone, and a value that cannot be
//! read says nothing: a broken setting stops no queue.

use crate::core::{Group, Limit, Rate};
use serde::{Deserialize, Serialize};

/// The setting `queue/<name>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueSetting {
    /// Claims pass the queue over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// What the queue is held to as a whole.
    #[serde(flatten)]
    pub limit: LimitSetting,
    /// What each tenant is held to in it.
    #[serde(skip_serializing_if = "LimitSetting::is_none")]
    pub tenant: LimitSetting,
}

impl QueueSetting {
    /// The prefix of the settings of queues.
    pub const PREFIX: &'static str = "queue/";

    /// The key under which a queue's setting stands.
    #[must_use]
    pub fn key(queue: &str) -> String {
        format!("{}{queue}", Self::PREFIX)
    }

    /// Reads a stored value.
    #[must_use]
    pub fn read(value: &[u8]) -> Self {
        serde_json::from_slice(value).unwrap_or_default()
    }
}

/// The setting `tenant/<name>`: what holds for one tenant, in every queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TenantSetting {
    /// Jobs in a row when it is the tenant's turn; 1 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    /// In place of what its queue says of tenants.
    #[serde(flatten)]
    pub limit: LimitSetting,
}

impl TenantSetting {
    /// The prefix of the settings of tenants.
    pub const PREFIX: &'static str = "tenant/";

    /// The key under which a tenant's setting stands.
    #[must_use]
    pub fn key(tenant: &str) -> String {
        format!("{}{tenant}", Self::PREFIX)
    }

    /// Reads a stored value.
    #[must_use]
    pub fn read(value: &[u8]) -> Self {
        serde_json::from_slice(value).unwrap_or_default()
    }
}

/// The setting `limit/<scope>`: what the jobs of one definition are held to, for each limit key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobLimits {
    /// What the definition says; the worker that started last has written it.
    pub declared: LimitSetting,
    /// What a person says instead.
    #[serde(rename = "override", skip_serializing_if = "LimitSetting::is_none")]
    pub set: LimitSetting,
}

impl JobLimits {
    /// The prefix of the settings of definitions.
    pub const PREFIX: &'static str = "limit/";

    /// The key under which a definition's setting stands.
    #[must_use]
    pub fn key(scope: &str) -> String {
        format!("{}{scope}", Self::PREFIX)
    }

    /// Reads a stored value.
    #[must_use]
    pub fn read(value: &[u8]) -> Self {
        serde_json::from_slice(value).unwrap_or_default()
    }

    /// The stored value; `None` if it says nothing.
    #[must_use]
    pub fn written(&self) -> Option<Vec<u8>> {
        let says = *self != JobLimits::default();
        says.then(|| serde_json::to_vec(self).unwrap_or_default())
    }

    /// What holds.
    #[must_use]
    pub fn limit(&self) -> Limit {
        self.set.limit().or(self.declared.limit())
    }
}

/// A limit as it is stored: `{"concurrency": 5, "rate": "100/min"}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitSetting {
    /// Live leases at one instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Starts in a span.
    #[serde(skip_serializing_if = "Option::is_none", with = "rate")]
    pub rate: Option<Rate>,
}

impl LimitSetting {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The limit.
    #[must_use]
    pub fn limit(self) -> Limit {
        Limit {
            concurrency: self.concurrency,
            rate: self.rate,
        }
    }
}

impl From<Limit> for LimitSetting {
    fn from(limit: Limit) -> Self {
        LimitSetting {
            concurrency: limit.concurrency,
            rate: limit.rate,
        }
    }
}

/// The limit of a group. `setting` reads the stored value of a key.
///
/// # Errors
/// Those of `setting`.
pub fn limit_of<E>(
    group: &Group,
    mut setting: impl FnMut(&str) -> Result<Option<Vec<u8>>, E>,
) -> Result<Limit, E> {
    let mut read = |key: String| setting(&key).map(Option::unwrap_or_default);
    Ok(match group {
        Group::Key { scope, .. } => JobLimits::read(&read(JobLimits::key(scope))?).limit(),
        Group::Queue(queue) => QueueSetting::read(&read(QueueSetting::key(queue))?)
            .limit
            .limit(),
        Group::Tenant { queue, tenant } => {
            let own = TenantSetting::read(&read(TenantSetting::key(tenant))?);
            let of_queue = QueueSetting::read(&read(QueueSetting::key(queue))?);
            own.limit.limit().or(of_queue.tenant.limit())
        }
    })
}

/// A rate as the text that people write.
mod rate {
    use crate::core::Rate;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        rate: &Option<Rate>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match rate {
            Some(rate) => serializer.collect_str(rate),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Rate>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(serde::de::Error::custom))
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Millis;

    #[test]
    fn a_setting_reads_back_as_it_was_written() {
        let setting = QueueSetting {
            paused: true,
            limit: LimitSetting {
                concurrency: Some(5),
                rate: Some(Rate::new(100, Millis(60_000))),
            },
            tenant: LimitSetting {
                concurrency: Some(1),
                rate: None,
            },
        };
        let text = serde_json::to_string(&setting).unwrap();
        assert_eq!(
            text,
            r#"{"paused":true,"concurrency":5,"rate":"100/min","tenant":{"concurrency":1}}"#
        );
        assert_eq!(QueueSetting::read(text.as_bytes()), setting);
    }

    #[test]
    fn what_a_person_says_goes_before_what_the_definition_says() {
        let value = br#"{"declared":{"concurrency":5,"rate":"1/s"},"override":{"concurrency":2}}"#;
        let limit = JobLimits::read(value).limit();
        assert_eq!(limit.concurrency, Some(2));
        assert_eq!(limit.rate, Some(Rate::new(1, Millis(1000))));
    }

    #[test]
    fn a_value_that_cannot_be_read_says_nothing() {
        for value in [&b""[..], b"7", b"{\"paused\":\"often\"}", b"\xff"] {
            assert_eq!(QueueSetting::read(value), QueueSetting::default());
        }
    }
}
