//! Plans from seeds, one way to make them for each mode.

use super::plan::{Blow, How, Plan, Who};
use jobs_runtime::torture::workload::Choices;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The mean time between two kills of one process, in milliseconds of the machine.
const MEAN_LIFE_MS: u64 = 150;
/// How often a process may be killed in one trial.
const KILL_LIMIT: usize = 4;
/// The passages of a point at which a process is hit.
pub(crate) const HITS: u32 = 3;

/// Workers that are killed while limits are full.
const CROWD_WORKERS: u32 = 4;

/// Plans of a thousand that hit a worker within a write, at a later passage too: most of what can
/// go wrong goes wrong there.
const WRITES: u64 = 500;
/// The last passage of a point within a write at which a process is hit.
const LATE_HITS: u64 = 15;

/// A way to hit processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Four workers are killed at random instants while crowds of jobs fill their limits.
    Crowd,
    /// One process is killed at a crash point, and its next life at one too.
    Double,
    /// All workers are killed at once.
    Group,
    /// Any of the others, by the seed.
    Mixed,
    /// One process is killed at a crash point.
    Point,
    /// Processes are killed at random instants.
    Random,
    /// One process is stopped at a crash point for longer than its leases last.
    Stop,
    /// Every process that has the store open is killed at once: what is left is the file.
    Store,
}

impl Mode {
    const ALL: [Mode; 8] = [
        Mode::Crowd,
        Mode::Double,
        Mode::Group,
        Mode::Mixed,
        Mode::Point,
        Mode::Random,
        Mode::Stop,
        Mode::Store,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Mode::Crowd => "crowd",
            Mode::Double => "double",
            Mode::Group => "group",
            Mode::Mixed => "mixed",
            Mode::Point => "point",
            Mode::Random => "random",
            Mode::Stop => "stop",
            Mode::Store => "store",
        }
    }

    /// Whether it hits processes at crash points.
    pub(crate) fn is_at_points(self) -> bool {
        matches!(self, Mode::Double | Mode::Point | Mode::Stop)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Mode::ALL.into_iter().find(|mode| mode.as_str() == name);
        found.ok_or_else(|| {
            let names = Mode::ALL.map(Mode::as_str).join(", ");
            format!("there is no mode \"{name}\"; there are {names}")
        })
    }
}

/// Where plans come from.
pub(crate) struct Plans {
    /// The crash points of this program.
    pub(crate) points: Vec<&'static str>,
    /// For so long processes are hit.
    pub(crate) chaos: Duration,
    /// How long a lease lasts, by the machine.
    pub(crate) lease: Duration,
}

impl Plans {
    /// The plan of a seed.
    pub(crate) fn make(&self, mode: Mode, seed: u64) -> Plan {
        let mut choices = Choices::of(seed, 0x9010);
        let writes = choices.per_mille(WRITES);
        let wanted = |point: &&&str| !writes || is_write(point);
        let points: Vec<&str> = self.points.iter().filter(wanted).copied().collect();
        let point = choices.below(points.len() as u64) as usize;
        let point = points.get(point).copied().unwrap_or_default();
        let most = if writes { LATE_HITS } else { u64::from(HITS) };
        let hit = 1 + choices.below(most) as u32;
        self.at(mode, seed, (point, hit), false)
    }

    /// The plan of a seed that hits a process at this point, if the mode does so: one of those
    /// that may come there, or all.
    pub(crate) fn at(&self, mode: Mode, seed: u64, at: (&str, u32), all: bool) -> Plan {
        let (point, hit) = at;
        let mut choices = Choices::of(seed, 0x97A1);
        let mode = match mode {
            Mode::Mixed => choices.weighted(
                &[
                    (6, Mode::Random),
                    (5, Mode::Point),
                    (4, Mode::Stop),
                    (3, Mode::Double),
                    (1, Mode::Group),
                    (1, Mode::Store),
                ],
                Mode::Random,
            ),
            mode => mode,
        };
        let mut plan = Plan {
            seed,
            mode: mode.to_string(),
            workers: choices.between(2, 4) as u32,
            acts: choices.between(16, 36),
            lossy: choices.per_mille(700) || point == "client.retry",
            crowd: mode == Mode::Crowd,
            blows: Vec::new(),
        };
        if plan.crowd {
            plan.workers = CROWD_WORKERS;
        }
        plan.blows = self.blows(mode, &plan, &mut choices, (point, hit, all));
        plan
    }

    fn blows(
        &self,
        mode: Mode,
        plan: &Plan,
        choices: &mut Choices,
        (point, hit, all): (&str, u32, bool),
    ) -> Vec<Blow> {
        let processes = match is_clients(point) {
            true => vec![plan.client()],
            false if all => (1..=plan.workers).collect(),
            false => vec![choices.between(1, u64::from(plan.workers)) as u32],
        };
        let at = |life, point: &str, hit, how| {
            let point = point.to_owned();
            processes.iter().map(move |process| Blow::Point {
                process: *process,
                life,
                point: point.clone(),
                hit,
                how,
            })
        };
        match mode {
            Mode::Point => at(1, point, hit, How::Kill).collect(),
            Mode::Stop => at(1, point, hit, self.stop(choices)).collect(),
            Mode::Double => {
                let again = choices.below(self.points.len() as u64) as usize;
                let again = self.points.get(again).copied().unwrap_or(point);
                let fits = is_clients(again) == is_clients(point) && choices.per_mille(500);
                let second = match (is_once(point), is_once(again)) {
                    (_, false) if fits => again,
                    (true, _) => "poller.claim",
                    _ => point,
                };
                let first = at(1, point, hit, How::Kill);
                first.chain(at(2, second, 1, How::Kill)).collect()
            }
            Mode::Group => self.together(Who::Workers, choices),
            Mode::Store => self.together(Who::All, choices),
            Mode::Crowd | Mode::Random | Mode::Mixed => self.anywhere(plan, choices),
        }
    }

    /// From one and a half to five leases.
    fn stop(&self, choices: &mut Choices) -> How {
        let lease = u64::try_from(self.lease.as_millis()).unwrap_or(u64::MAX);
        How::Stop(choices.between(lease * 3 / 2, lease * 5))
    }

    fn together(&self, who: Who, choices: &mut Choices) -> Vec<Blow> {
        let often = choices.between(1, 3);
        let how = How::Kill;
        let blow = |ms| Blow::At { ms, who, how };
        (0..often)
            .map(|_| blow(choices.below(self.chaos_ms())))
            .collect()
    }

    fn anywhere(&self, plan: &Plan, choices: &mut Choices) -> Vec<Blow> {
        let mut blows = Vec::new();
        for process in 1..=plan.client() {
            if process == plan.client() && choices.per_mille(500) {
                continue;
            }
            let mut ms = 0;
            for _ in 0..KILL_LIMIT {
                ms += choices.around(MEAN_LIFE_MS) + 1;
                if ms >= self.chaos_ms() {
                    break;
                }
                let how = match choices.per_mille(100) {
                    true => self.stop(choices),
                    false => How::Kill,
                };
                let who = Who::One(process);
                blows.push(Blow::At { ms, who, how });
            }
        }
        blows
    }

    fn chaos_ms(&self) -> u64 {
        u64::try_from(self.chaos.as_millis()).unwrap_or(u64::MAX)
    }
}

/// Whether a process comes to this point once at most, and only one process of all.
pub(crate) fn is_once(point: &str) -> bool {
    point.contains(".migrate.")
}

/// Whether a worker comes to this point within each of its writes.
fn is_write(point: &str) -> bool {
    const WRITES: [&str; 7] = [
        "committer.",
        "driver.postgres.commit.",
        "driver.sqlite.commit.",
        "driver.sqlite.queue.",
        "driver.sqlite.step.",
        "store.commit.",
        "store.transacting.",
    ];
    WRITES.iter().any(|prefix| point.starts_with(prefix))
}

/// Whether only a client comes to this point, or it comes there sooner than a worker.
fn is_clients(point: &str) -> bool {
    const CLIENTS: [&str; 11] = [
        "client.",
        "driver.sqlite.enqueue.",
        "driver.sqlite.prune.",
        "driver.sqlite.publish.",
        "driver.sqlite.write_setting.",
        "store.doctor.",
        "store.enqueue.",
        "store.prune.",
        "store.publish.",
        "store.settings.",
        "store.stats.",
    ];
    CLIENTS.iter().any(|prefix| point.starts_with(prefix)) || point.starts_with("store.write_")
}
