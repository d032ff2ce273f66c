//! What is done to the processes of a trial, and when: made from a seed, kept as text, and made
//! smaller by leaving things out.

use serde::{Deserialize, Serialize};

/// A trial that can be run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// What the jobs, clients and operator do follows from it.
    pub(crate) seed: u64,
    /// How it was made, for people.
    pub(crate) mode: String,
    /// Worker processes, which have the numbers from 1; the client has the next one.
    pub(crate) workers: u32,
    /// What the client does: so many acts.
    pub(crate) acts: u64,
    /// Calls to the store fail and lose their answers at times.
    pub(crate) lossy: bool,
    /// The client enqueues crowds of jobs of few limited keys, and nothing else.
    #[serde(default)]
    pub(crate) crowd: bool,
    /// What happens to the processes.
    pub(crate) blows: Vec<Blow>,
}

/// One thing that happens to a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Blow {
    /// At an instant.
    At {
        /// Milliseconds of the machine after the start.
        ms: u64,
        /// To whom.
        who: Who,
        /// What.
        how: How,
    },
    /// When a process comes to a crash point.
    Point {
        /// The process.
        process: u32,
        /// In which of its lives, from 1.
        life: u32,
        /// The point.
        point: String,
        /// At which passage, from 1.
        hit: u32,
        /// What.
        how: How,
    },
}

/// Who is hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Who {
    /// Every process.
    All,
    /// One process.
    One(u32),
    /// Every worker.
    Workers,
}

/// How a process is hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum How {
    /// It is killed, and started again a little later.
    Kill,
    /// It is stopped for so many milliseconds of the machine.
    Stop(u64),
}

impl Plan {
    /// The number of the client.
    pub(crate) fn client(&self) -> u32 {
        self.workers + 1
    }

    /// The plan as one line.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a plan.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("this is no plan: {error}"))
    }

    /// Plans with something left out, the smaller ones first.
    pub(crate) fn smaller(&self) -> Vec<Plan> {
        let mut plans = Vec::new();
        let with = |change: &dyn Fn(&mut Plan)| {
            let mut plan = self.clone();
            change(&mut plan);
            plan
        };
        if self.blows.len() > 2 {
            let half = self.blows.len() / 2;
            plans.push(with(&|plan| plan.blows.truncate(half)));
            plans.push(with(&|plan| drop(plan.blows.drain(..half))));
        }
        if self.acts > 1 {
            plans.push(with(&|plan| plan.acts /= 2));
        }
        if self.lossy {
            plans.push(with(&|plan| plan.lossy = false));
        }
        for index in 0..self.blows.len() {
            plans.push(with(&|plan| drop(plan.blows.remove(index))));
        }
        if self.workers > 1 {
            plans.push(with(&|plan| {
                let last = plan.workers;
                plan.workers -= 1;
                plan.blows.retain(|blow| !blow.hits(last));
                plan.blows
                    .iter_mut()
                    .for_each(|blow| blow.rename(last + 1, last));
            }));
        }
        plans
    }
}

impl Blow {
    fn process(&self) -> Option<u32> {
        match self {
            Blow::Point { process, .. } => Some(*process),
            Blow::At {
                who: Who::One(process),
                ..
            } => Some(*process),
            Blow::At { .. } => None,
        }
    }

    fn hits(&self, process: u32) -> bool {
        self.process() == Some(process)
    }

    fn rename(&mut self, from: u32, to: u32) {
        match self {
            Blow::Point { process, .. } if *process == from => *process = to,
            Blow::At {
                who: Who::One(process),
                ..
            } if *process == from => *process = to,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let at = |ms| Blow::At {
            ms,
            who: Who::One(2),
            how: How::Kill,
        };
        let point = Blow::Point {
            process: 3,
            life: 1,
            point: "store.claim.before".into(),
            hit: 1,
            how: How::Stop(300),
        };
        Plan {
            seed: 7,
            mode: "random".into(),
            workers: 2,
            acts: 9,
            lossy: true,
            crowd: false,
            blows: vec![at(1), at(2), point],
        }
    }

    #[test]
    fn a_plan_is_read_from_its_text() {
        assert_eq!(Plan::read(&plan().text()), Ok(plan()));
    }

    #[test]
    fn a_plan_without_its_last_worker_still_hits_its_client() {
        let plans = plan().smaller();
        let fewer = plans.iter().find(|plan| plan.workers == 1).unwrap();
        assert_eq!(fewer.blows.len(), 1);
        assert!(fewer.blows[0].hits(fewer.client()));
    }
}
