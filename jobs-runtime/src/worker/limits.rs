//! Tells the store what the definitions of this program say of limits, before any job is taken:
//! a claim counts in the store, which knows no definitions.

use super::Shared;
use crate::Error;
use crate::contract::{JobLimits, LimitSetting, Setting, SettingWrite};
use crate::registry::JobDef;
use crate::store::Store;

/// Tries of one write when another worker starts at the same time.
const MAX_TRIES: u32 = 5;

/// Writes what differs. Of two versions of a program the one that started last is right.
pub(super) async fn declare(shared: &Shared) -> Result<(), Error> {
    let store = &shared.store;
    let stored = store.settings(JobLimits::PREFIX).await?;
    for def in shared.registry.defs() {
        let key = JobLimits::key(def.scope());
        let found = stored.iter().find(|setting| setting.key == key);
        if declared(found) != wanted(def) {
            declare_one(store, def, key).await?;
        }
    }
    Ok(())
}

async fn declare_one(store: &Store, def: &JobDef, key: String) -> Result<(), Error> {
    for _ in 0..MAX_TRIES {
        let settings = store.settings(&key).await?;
        let found = settings.iter().find(|setting| setting.key == key);
        if declared(found) == wanted(def) {
            return Ok(());
        }
        let limits = JobLimits {
            declared: wanted(def),
            ..found.map(read).unwrap_or_default()
        };
        let write = SettingWrite {
            key: key.clone(),
            value: limits.written(),
            expected: found.map_or(0, |setting| setting.revision),
            jobs: Vec::new(),
        };
        if store.write_setting(&write).await?.is_some() {
            return Ok(());
        }
    }
    Err(Error::setting_conflict(&key))
}

fn read(setting: &Setting) -> JobLimits {
    JobLimits::read(&setting.value)
}

fn declared(setting: Option<&Setting>) -> LimitSetting {
    setting.map(read).unwrap_or_default().declared
}

fn wanted(def: &JobDef) -> LimitSetting {
    def.options
        .limit
        .map(LimitSetting::from)
        .unwrap_or_default()
}
