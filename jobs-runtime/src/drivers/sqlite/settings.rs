//! Settings: compare and set, together with the jobs that rely on it.

use super::db::Db;
use super::enqueue::insert;
use super::fault::Fault;
use super::group::{Hints, Tx};
use super::sql;
use crate::contract::{Setting, SettingWrite, check_job, check_setting};
use rusqlite::params;

/// The counter of revisions, one for all settings.
const REVISION: &str = "setting";

/// Settings that are read in one call.
const SETTING_LIMIT_ROWS: i64 = 100_000;

/// The settings whose key begins with `prefix`, sorted by key.
pub(super) fn settings(db: Db<'_>, prefix: &str) -> Result<Vec<Setting>, Fault> {
    db.all_until(
        sql::SETTING_LIST,
        params![prefix, SETTING_LIMIT_ROWS],
        |columns| {
            let setting = Setting {
                key: columns.take()?,
                value: columns.take()?,
                revision: columns.bits()?,
            };
            Ok(setting.key.starts_with(prefix).then_some(setting))
        },
    )
}

pub(super) fn write_setting(tx: &Tx<'_>, write: &SettingWrite) -> Result<Option<Setting>, Fault> {
    check_setting(write, &tx.shared.capabilities)?;
    tx.item(|tx| {
        let current = tx.first(sql::SETTING_LOAD, [&write.key], |columns| {
            let _value: Vec<u8> = columns.take()?;
            columns.bits()
        })?;
        if current.unwrap_or(0) != write.expected {
            return Ok(None);
        }
        for job in &write.jobs {
            check_job(job, &tx.shared.capabilities)?;
        }
        let setting = Setting {
            key: write.key.clone(),
            value: write.value.clone().unwrap_or_default(),
            revision: tx.count(REVISION)?,
        };
        match write.value {
            None => tx.run(sql::SETTING_DELETE, [&setting.key])?,
            Some(_) => tx.run(
                sql::SETTING_STORE,
                params![setting.key, setting.value, setting.revision.cast_signed()],
            )?,
        };
        // A queue may be open again, or a limit wider.
        tx.hint(Hints {
            ready: true,
            ..Hints::default()
        });
        for job in &write.jobs {
            // A key that is taken says that this tick was fired already.
            drop(insert(tx, job)?);
        }
        Ok(Some(setting))
    })
}
