//! What a schedule that was made at run time enqueues at each tick. How it becomes a row is said
//! where rows are made, with the definition of the job beside it.

use crate::core::{Millis, Payload, Priority};
use alloc::{collections::BTreeMap, string::String};
use serde::{Deserialize, Serialize};

/// The job of a schedule, as it is stored. What it does not say follows the definition of the job,
/// as that is at the tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// The durable name of the job.
    pub name: String,
    /// What each tick works on.
    pub input: Payload,
    /// Another queue than the definition's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Whose job it is, if not as the definition says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Another priority than the definition's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Another number of tries than the definition's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// How long after its tick it may still be started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Millis>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}
