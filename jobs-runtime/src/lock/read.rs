//! Reads a lock file back.

use super::Field;
use super::model::{EventLock, JobLock, Lock, TypeLock};
use super::write::{NOT_KNOWN, VERSION};
use crate::Error;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The largest lock file that is read, in bytes.
pub const MAX_LOCK_BYTES: usize = 16 * 1024 * 1024;

#[derive(Deserialize)]
struct Version {
    version: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "version")]
    _version: i64,
    #[serde(default)]
    job: BTreeMap<String, JobLock>,
    #[serde(default)]
    event: BTreeMap<String, EventLock>,
    #[serde(default)]
    types: BTreeMap<String, Fields>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Fields {
    Known(Vec<String>),
    NotKnown(String),
}

impl Lock {
    /// The lock that a file holds.
    ///
    /// # Errors
    /// `X_LOCK_INVALID` if the text is no lock file, is larger than [`MAX_LOCK_BYTES`], or was
    /// written by a newer version.
    pub fn read(text: &str) -> Result<Self, Error> {
        if text.len() > MAX_LOCK_BYTES {
            let why = format!(
                "it has {} bytes, and {MAX_LOCK_BYTES} is the most",
                text.len()
            );
            return Err(Error::lock_invalid(why));
        }
        let Version { version } = toml::from_str(text).map_err(Error::lock_invalid)?;
        if version != VERSION {
            let why = format!("it has the format {version}, and this program reads {VERSION}");
            return Err(Error::lock_invalid(why));
        }
        let file: File = toml::from_str(text).map_err(Error::lock_invalid)?;
        let mut types = BTreeMap::new();
        for (name, fields) in file.types {
            let fields = match fields {
                Fields::Known(lines) => Some(lines.iter().map(|line| Field::parse(line)).collect()),
                Fields::NotKnown(text) if text == NOT_KNOWN => None,
                Fields::NotKnown(text) => {
                    let why = format!(
                        "the type {name} is \"{text}\", and neither a list nor \"{NOT_KNOWN}\""
                    );
                    return Err(Error::lock_invalid(why));
                }
            };
            types.insert(name, TypeLock { fields });
        }
        Ok(Lock {
            jobs: file.job,
            events: file.event,
            types,
        })
    }
}
