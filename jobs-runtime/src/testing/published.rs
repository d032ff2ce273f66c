//! Which events of a name were published.

use super::Bench;
use crate::core::Timestamp;
use crate::{Error, Event};
use std::fmt::Write;

/// Events that are read at a time.
const PAGE_EVENTS: usize = 500;
/// Events that the text of a failed assertion lists.
const LISTED_EVENTS: usize = 20;

/// An event that was published.
#[derive(Clone, Debug)]
pub struct Seen<E> {
    /// What it says.
    pub event: E,
    /// Its rendered correlation key.
    pub key: Option<String>,
    /// When the store took it.
    pub published_at: Timestamp,
}

impl Bench {
    /// The events of this type that were published, in order.
    ///
    /// ```
    /// # use jobs_runtime::prelude::*;
    /// # use jobs_runtime::testing::Bench;
    /// #[derive(Serialize, Deserialize, Event)]
    /// #[event(name = "published-example", key = u64)]
    /// struct Paid { cents: u64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let bench = Bench::new();
    /// bench.jobs().publish(Paid { cents: 250 }, 7).await?;
    /// let seen = bench.published::<Paid>().await?;
    /// assert_eq!(seen[0].event.cents, 250);
    /// assert_eq!(seen[0].key.as_deref(), Some("7"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the store cannot be read, or an event is not of this type.
    pub async fn published<E: Event>(&self) -> Result<Vec<Seen<E>>, Error> {
        let (mut seen, mut after) = (Vec::new(), 0);
        let inspect = self.store.store().inspect();
        loop {
            let page = inspect.events(Some(E::NAME), after, PAGE_EVENTS).await?;
            let Some(last) = page.last() else {
                return Ok(seen);
            };
            after = last.seq;
            for stored in page {
                seen.push(Seen {
                    event: E::decode(&self.store.store().codecs.decode(&stored.payload)?)?,
                    key: stored.key,
                    published_at: stored.published_at,
                });
            }
        }
    }

    /// The words of [`assert_published!`](crate::assert_published) when it fails; `None` if it
    /// holds.
    #[doc(hidden)]
    pub async fn why_not_published<E: Event>(
        &self,
        matches: impl Fn(&E) -> bool,
        condition: &str,
    ) -> Option<String> {
        let seen = match self.published::<E>().await {
            Ok(seen) => seen,
            Err(error) => return Some(format!("the bench could not be read: {error:?}")),
        };
        if seen.iter().any(|seen| matches(&seen.event)) {
            return None;
        }
        let name = E::NAME;
        let mut text = format!("no event \"{name}\" was published{condition}");
        // Writing to a text does not fail.
        let _ = write!(text, "\nof \"{name}\" there are {}", seen.len());
        for seen in seen.iter().take(LISTED_EVENTS) {
            let payload = seen.event.encode().unwrap_or_default();
            let payload = String::from_utf8_lossy(&payload);
            let key = seen.key.as_deref().unwrap_or("no key");
            let _ = write!(text, "\n  [{key}] {payload}");
        }
        Some(text)
    }
}
