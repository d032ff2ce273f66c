//! Which jobs are runs of one chain, as far as they say that they go on as one another.

use super::{Index, Line};
use crate::core::JobId;
use crate::torture::history::Settled;
use std::collections::HashSet;

impl Index<'_> {
    /// The job, and all that are linked to it by runs that go on, in either direction.
    pub(in crate::torture::check) fn chain_of(&self, line: &Line<'_>) -> HashSet<JobId> {
        let mut chain: HashSet<JobId> = line.id.into_iter().collect();
        let links: Vec<(JobId, JobId)> = self
            .jobs
            .iter()
            .filter_map(|line| Some((line.id?, line)))
            .flat_map(|(id, line)| self.next_of(line).map(move |next| (id, next)))
            .collect();
        loop {
            let known = chain.len();
            for (one, next) in &links {
                if chain.contains(one) || chain.contains(next) {
                    chain.extend([*one, *next]);
                }
            }
            if chain.len() == known {
                return chain;
            }
        }
    }

    fn next_of<'i>(&'i self, line: &'i Line<'_>) -> impl Iterator<Item = JobId> + use<'i> {
        let settles = line.commits.iter().map(|at| self.made[*at].settle());
        settles.filter_map(|settled| match settled {
            Some(Settled::Continue { next }) => Some(next),
            _ => None,
        })
    }
}
