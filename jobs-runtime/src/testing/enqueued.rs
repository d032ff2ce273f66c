//! Which jobs of a name were enqueued.

use super::Bench;
use crate::clock::Clock;
use crate::contract::JobFilter;
use crate::core::{Job as Row, JobId, View};
use crate::durable::Durable;
use crate::{Error, Job};
use std::fmt::Write;

/// Rows that are read at a time.
const PAGE_ROWS: usize = 500;
/// Jobs that the text of a failed assertion lists.
const LISTED_JOBS: usize = 20;

/// A job that was enqueued, whatever became of it since.
#[derive(Clone, Debug)]
pub struct Found<I> {
    /// The job.
    pub id: JobId,
    /// Its input.
    pub input: I,
    /// Its idempotency key.
    pub key: Option<String>,
    /// Its queue.
    pub queue: String,
    /// Where it stands.
    pub view: View,
}

impl Bench {
    /// Every job of this name that was enqueued, in order, whatever became of it since.
    ///
    /// ```
    /// # use jobs_runtime::prelude::*;
    /// # use jobs_runtime::testing::Bench;
    /// # #[job(idempotency = "enqueued-example:{input}")]
    /// # async fn enqueued_example(input: u64) -> Result<()> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let bench = Bench::new();
    /// enqueued_example(7).enqueue(bench.jobs()).await?;
    /// let found = bench.enqueued::<enqueued_example>().await?;
    /// assert_eq!(found[0].input, 7);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the store cannot be read, or an input is not of the job's type.
    pub async fn enqueued<J: Job>(&self) -> Result<Vec<Found<J::Input>>, Error> {
        let rows = self.rows(Some(J::def().name)).await?;
        let now = self.clock.now();
        let codecs = &self.store.store().codecs;
        let found = rows.into_iter().map(|row| {
            Ok(Found {
                id: row.spec.id,
                input: J::Input::decode(&codecs.decode(&row.spec.input)?)?,
                key: row.spec.key,
                queue: row.spec.queue,
                view: row.head.state.view(row.head.visible_at, now),
            })
        });
        found.collect()
    }

    /// The words of [`assert_enqueued!`](crate::assert_enqueued) when it fails; `None` if it
    /// holds.
    #[doc(hidden)]
    pub async fn why_not_enqueued<J: Job>(
        &self,
        matches: impl Fn(&J::Input) -> bool,
        condition: &str,
    ) -> Option<String> {
        self.explain::<J>(matches, |matching| {
            (matching == 0).then(|| format!("no job \"{}\" was enqueued{condition}", J::def().name))
        })
        .await
    }

    /// The words of [`refute_enqueued!`](crate::refute_enqueued) when it fails; `None` if it
    /// holds.
    #[doc(hidden)]
    pub async fn why_enqueued<J: Job>(
        &self,
        matches: impl Fn(&J::Input) -> bool,
        condition: &str,
    ) -> Option<String> {
        self.explain::<J>(matches, |matching| {
            (matching > 0).then(|| format!("{}{condition}", were(matching, J::def().name)))
        })
        .await
    }

    async fn explain<J: Job>(
        &self,
        matches: impl Fn(&J::Input) -> bool,
        verdict: impl Fn(usize) -> Option<String>,
    ) -> Option<String> {
        let found = match self.enqueued::<J>().await {
            Ok(found) => found,
            Err(error) => return Some(format!("the bench could not be read: {error:?}")),
        };
        let matching = found.iter().filter(|job| matches(&job.input)).count();
        let verdict = verdict(matching)?;
        Some(match self.rows(None).await {
            Ok(rows) => format!("{verdict}\n{}", self.listing(&rows, J::def().name)),
            Err(error) => format!("{verdict}\n(what there is could not be read: {error})"),
        })
    }

    /// The jobs of this name first, then how many there are of others.
    fn listing(&self, rows: &[Row], name: &str) -> String {
        let (own, others): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| row.spec.name == name);
        let mut text = format!("of \"{name}\" there are {}", own.len());
        for row in own.iter().take(LISTED_JOBS) {
            let view = row.head.state.view(row.head.visible_at, self.clock.now());
            let input = String::from_utf8_lossy(&row.spec.input.bytes);
            // Writing to a text does not fail.
            let _ = write!(text, "\n  {view} {input}");
        }
        if own.len() > LISTED_JOBS {
            let _ = write!(text, "\n  and {} more", own.len() - LISTED_JOBS);
        }
        let mut names: Vec<&str> = others.iter().map(|row| row.spec.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            let _ = write!(
                text,
                "\nof other names there are {}: {}",
                others.len(),
                names.join(", ")
            );
        }
        text
    }

    /// All jobs of a name, or of all names, the oldest first.
    async fn rows(&self, name: Option<&str>) -> Result<Vec<Row>, Error> {
        let filter = JobFilter {
            name: name.map(Into::into),
            ..JobFilter::default()
        };
        let (mut rows, mut after) = (Vec::new(), None);
        loop {
            let page = self.store.admin().list(&filter, after, PAGE_ROWS).await?;
            rows.extend(page.jobs);
            after = page.next;
            if after.is_none() {
                rows.reverse();
                return Ok(rows);
            }
        }
    }
}

fn were(count: usize, name: &str) -> String {
    if count == 1 {
        format!("1 job named \"{name}\" was enqueued")
    } else {
        format!("{count} jobs named \"{name}\" were enqueued")
    }
}
