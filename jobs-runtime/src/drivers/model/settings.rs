//! Settings: compare and set, together with the jobs that rely on it.

use super::lacks::Need;
use super::store::{Hint, Store};
use crate::Error;
use crate::contract::{Capabilities, Setting, SettingWrite, check_job, check_setting};
use crate::core::Timestamp;

impl Store {
    pub(crate) fn settings(&self, prefix: &str) -> Vec<Setting> {
        self.settings
            .range(prefix.to_owned()..)
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(_, setting)| setting.clone())
            .collect()
    }

    pub(crate) fn write_setting(
        &mut self,
        write: &SettingWrite,
        capabilities: &Capabilities,
        now: Timestamp,
    ) -> Result<Option<Setting>, Error> {
        check_setting(write, capabilities)?;
        self.needs(|| Need::Setting(write.key.clone()));
        let current = self
            .settings
            .get(&write.key)
            .map_or(0, |setting| setting.revision);
        if current != write.expected {
            return Ok(None);
        }
        for job in &write.jobs {
            check_job(job, capabilities)?;
        }
        let revision = self.next_revision();
        let setting = Setting {
            key: write.key.clone(),
            value: write.value.clone().unwrap_or_default(),
            revision,
        };
        match write.value {
            None => drop(self.settings.remove(&write.key)),
            Some(_) => drop(self.settings.insert(write.key.clone(), setting.clone())),
        }
        // A queue may be open again, or a limit wider.
        self.hint(Hint::Ready);
        for job in &write.jobs {
            // A key that is taken says that this tick was fired already.
            drop(self.insert(job, now));
        }
        Ok(Some(setting))
    }
}
