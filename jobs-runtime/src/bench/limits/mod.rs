//! The least work that a store could do: hand-written statements through the driver crate and the
//! settings that ours uses, with none of its promises but that of the disk.
//!
//! The memory store has none: there is no work below a map behind a lock.

mod postgres;
mod sqlite;

use super::args::Scenario;
use super::place::Place;
use super::sample::Sample;
use super::scenarios::Size;
use crate::Error;

/// Measures the limit of a scenario, where it has one.
pub(super) async fn measure(
    scenario: Scenario,
    place: &Place,
    size: &Size,
) -> Result<Option<Sample>, Error> {
    match place {
        Place::Memory { .. } => Ok(None),
        Place::Sqlite { path, .. } => {
            let (path, size) = (path.clone(), size.clone());
            let measuring =
                tokio::task::spawn_blocking(move || sqlite::measure(scenario, &path, &size));
            let fix = "see that the folder can be written to";
            let measured = measuring.await.map_err(|error| super::broken(error, fix))?;
            measured.map_err(|error| super::broken(error, fix))
        }
        Place::Postgres { server, .. } => {
            let measured = postgres::measure(scenario, server, size).await;
            measured.map_err(|error| super::broken(error, "look at the log of the server"))
        }
    }
}
