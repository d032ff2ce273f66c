//! What was said in the log of schedules that this program cannot make ticks of: once for each
//! state of one, and not at every look.

use crate::contract::Setting;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The revisions of settings that were complained of. No more than there are settings.
#[derive(Default)]
pub(super) struct Troubles(Mutex<BTreeMap<String, u64>>);

impl Troubles {
    /// Says it, unless this state of the setting was complained of before.
    pub(super) fn tell(&self, setting: &Setting, say: impl FnOnce()) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = told.insert(setting.key.clone(), setting.revision);
        drop(told);
        if before != Some(setting.revision) {
            say();
        }
    }

    /// Forgets settings that are gone.
    pub(super) fn forget_all_but(&self, there: &[Setting]) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.is_empty() {
            told.retain(|key, _| there.iter().any(|setting| setting.key == *key));
        }
    }
}
