//! Limits: how many jobs of a group may run at once, and how many may start in a span. What is
//! counted is live leases, so a crash leaks nothing. Storing the counts is not done here.

use super::{Lane, Millis, Timestamp};
use ::core::fmt;
use ::core::str::FromStr;
use alloc::{borrow::ToOwned, collections::BTreeMap, format, string::String, vec::Vec};

/// The most starts that a rate may allow in its span.
pub const RATE_LIMIT_STARTS: u32 = 1_000_000;

/// So many starts at once, and on average no more in each span: `100/min`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    count: u32,
    per: Millis,
}

impl Rate {
    /// `count` starts in each `per`; zero of either counts as one.
    #[must_use]
    pub const fn new(count: u32, per: Millis) -> Rate {
        let count = if count == 0 { 1 } else { count };
        let per = if per.0 == 0 { Millis(1) } else { per };
        Rate { count, per }
    }

    /// The pace after a start at `now`, or the instant from which one is allowed.
    ///
    /// # Errors
    /// With that instant, if it is too early.
    pub fn start(self, pace: Pace, now: Timestamp) -> Result<Pace, Timestamp> {
        let now_us = i128::from(now.0) * 1000;
        let span_us = i128::from(self.per.0) * 1000;
        // Rounded up: a pace that drifted the other way would allow one too many.
        let step_us = (span_us + i128::from(self.count) - 1) / i128::from(self.count);
        let due = i128::from(pace.0).max(now_us);
        let earliest_us = due - step_us * i128::from(self.count - 1);
        if earliest_us > now_us {
            let millis = (earliest_us + 999).div_euclid(1000);
            return Err(Timestamp(i64::try_from(millis).unwrap_or(i64::MAX)));
        }
        Ok(Pace(i64::try_from(due + step_us).unwrap_or(i64::MAX)))
    }
}

/// Where a rate stands: the microsecond since the epoch at which all past starts are paid for
/// (GCRA). One number a group, whatever the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pace(pub i64);

/// What can be a unit of a rate's span, with its milliseconds. The first of a size is written.
const UNITS: [(&str, u64); 8] = [
    ("s", 1_000),
    ("sec", 1_000),
    ("min", 60_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("hour", 3_600_000),
    ("d", 86_400_000),
    ("day", 86_400_000),
];

/// A text that is no rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRate(String);

impl fmt::Display for UnknownRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a rate: write a number from 1 to {RATE_LIMIT_STARTS} and what it is for, as in \"100/min\"; units are s, min, h, d",
            self.0
        )
    }
}

impl ::core::error::Error for UnknownRate {}

impl FromStr for Rate {
    type Err = UnknownRate;

    fn from_str(text: &str) -> Result<Rate, UnknownRate> {
        let unknown = || UnknownRate(text.chars().take(40).collect());
        let (count, unit) = text.split_once('/').ok_or_else(unknown)?;
        let count = count.trim().parse().map_err(|_| unknown())?;
        let known = UNITS.iter().find(|(name, _)| *name == unit.trim());
        let (_, per) = known.ok_or_else(unknown)?;
        if count == 0 || count > RATE_LIMIT_STARTS {
            return Err(unknown());
        }
        Ok(Rate::new(count, Millis(*per)))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, size)| *size == self.per.0) {
            Some((unit, _)) => write!(f, "{}/{unit}", self.count),
            None => write!(f, "{} in {}", self.count, self.per),
        }
    }
}

/// What a group is held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Live leases at one instant.
    pub concurrency: Option<u32>,
    /// Starts of attempts. A run that goes on after a suspension starts nothing.
    pub rate: Option<Rate>,
}

impl Limit {
    /// Holds nothing back.
    pub const NONE: Limit = Limit {
        concurrency: None,
        rate: None,
    };

    /// At most so many at one instant.
    #[must_use]
    pub const fn concurrency(self, most: u32) -> Limit {
        Limit {
            concurrency: Some(most),
            ..self
        }
    }

    /// At most so many starts in a span.
    #[must_use]
    pub const fn rate(self, rate: Rate) -> Limit {
        Limit {
            rate: Some(rate),
            ..self
        }
    }

    /// Whether it holds anything back.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Limit::default()
    }

    /// This limit, with what `other` says in place of what it says.
    #[must_use]
    pub fn or(self, other: Limit) -> Limit {
        Limit {
            concurrency: self.concurrency.or(other.concurrency),
            rate: self.rate.or(other.rate),
        }
    }
}

/// Jobs that are counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Those of one definition that render the same limit key.
    Key {
        /// The definition's oldest durable name.
        scope: String,
        /// The rendered key; empty if the limit is for all jobs of the definition together.
        key: String,
    },
    /// Those of a queue.
    Queue(String),
    /// A tenant's in a queue.
    Tenant {
        /// The queue.
        queue: String,
        /// The tenant.
        tenant: String,
    },
}

impl Group {
    /// The groups of the jobs in this lane of a queue.
    #[must_use]
    pub fn of(queue: &str, lane: &Lane) -> Vec<Group> {
        let mut groups = Vec::from([Group::Queue(queue.to_owned())]);
        if let Some(tenant) = &lane.tenant {
            groups.push(Group::Tenant {
                queue: queue.to_owned(),
                tenant: tenant.clone(),
            });
        }
        if let Some((scope, key)) = &lane.limit {
            groups.push(Group::Key {
                scope: scope.clone(),
                key: key.clone(),
            });
        }
        groups
    }

    /// A text that no other group has.
    #[must_use]
    pub fn text(&self) -> String {
        use super::key_part as part;
        match self {
            Group::Key { scope, key } => format!("key/{}/{}", part(scope), part(key)),
            Group::Queue(queue) => format!("queue/{}", part(queue)),
            Group::Tenant { queue, tenant } => format!("tenant/{}/{}", part(queue), part(tenant)),
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Group::Key { scope, key } if key.is_empty() => write!(f, "job \"{scope}\""),
            Group::Key { scope, key } => {
                write!(f, "job \"{scope}\" with the limit key \"{key}\"")
            }
            Group::Queue(queue) => write!(f, "queue \"{queue}\""),
            Group::Tenant { queue, tenant } => {
                write!(f, "tenant \"{tenant}\" in queue \"{queue}\"")
            }
        }
    }
}

/// Why a job may not be leased now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// As many leases are live as the limit allows.
    Full,
    /// The rate allows the next start at this instant.
    Until(Timestamp),
}

/// How one group stands in a claim.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// Leases that may still be given; no bound without one.
    slots: Option<u32>,
    rate: Option<(Rate, Pace)>,
    has_started: bool,
}

/// What is left of each limit while one claim is made. The store must not let anybody else claim
/// in these groups meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Room {
    groups: BTreeMap<Group, Standing>,
}

impl Room {
    /// Whether this group was looked at.
    #[must_use]
    pub fn knows(&self, group: &Group) -> bool {
        self.groups.contains_key(group)
    }

    /// Notes how a group stands: its limit, its live leases, and its pace.
    pub fn add(&mut self, group: Group, limit: Limit, live: u32, pace: Pace) {
        let standing = Standing {
            slots: limit.concurrency.map(|most| most.saturating_sub(live)),
            rate: limit.rate.map(|rate| (rate, pace)),
            has_started: false,
        };
        self.groups.insert(group, standing);
    }

    /// Whether one more job of these groups may be leased. `starts` says that it begins an
    /// attempt.
    ///
    /// # Errors
    /// With what stands in the way: a full group before a rate.
    pub fn check(&self, groups: &[Group], starts: bool, now: Timestamp) -> Result<(), Blocked> {
        let standings = || groups.iter().filter_map(|group| self.groups.get(group));
        if standings().any(|standing| standing.slots == Some(0)) {
            return Err(Blocked::Full);
        }
        let rates = standings().filter(|_| starts).filter_map(|s| s.rate);
        let until = rates.filter_map(|(rate, pace)| rate.start(pace, now).err());
        until.max().map_or(Ok(()), |at| Err(Blocked::Until(at)))
    }

    /// Notes that one more job of these groups was leased.
    pub fn take(&mut self, groups: &[Group], starts: bool, now: Timestamp) {
        for group in groups {
            let Some(standing) = self.groups.get_mut(group) else {
                continue;
            };
            standing.slots = standing.slots.map(|slots| slots.saturating_sub(1));
            if let Some((rate, pace)) = &mut standing.rate
                && starts
                && let Ok(next) = rate.start(*pace, now)
            {
                *pace = next;
                standing.has_started = true;
            }
        }
    }

    /// The paces that must be stored with the leases.
    pub fn paces(&self) -> impl Iterator<Item = (&Group, Pace)> {
        self.groups.iter().filter_map(|(group, standing)| {
            let (_, pace) = standing.rate.filter(|_| standing.has_started)?;
            Some((group, pace))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// The instants at which starts were allowed, asking every millisecond.
    fn starts(rate: Rate, from: i64, to: i64) -> Vec<i64> {
        let mut pace = Pace::default();
        let mut allowed = Vec::new();
        for now in from..to {
            while let Ok(next) = rate.start(pace, Timestamp(now)) {
                pace = next;
                allowed.push(now);
            }
        }
        allowed
    }

    #[test]
    fn a_rate_allows_its_count_at_once_and_then_one_at_a_time() {
        let rate: Rate = "4/s".parse().unwrap();
        let allowed = starts(rate, 10_000, 11_001);
        assert_eq!(
            allowed,
            [
                10_000, 10_000, 10_000, 10_000, 10_250, 10_500, 10_750, 11_000
            ]
        );
    }

    #[test]
    fn a_rate_that_does_not_divide_its_span_never_allows_more_on_average() {
        let rate: Rate = "7/s".parse().unwrap();
        let allowed = starts(rate, 0, 100_001);
        assert!(allowed.len() <= 7 + 700, "{}", allowed.len());
        assert!(allowed.len() >= 7 + 690, "{}", allowed.len());
    }

    #[test]
    fn the_instant_that_a_refused_start_is_told_is_the_first_one_allowed() {
        let rate: Rate = "3/s".parse().unwrap();
        let mut pace = Pace::default();
        for _ in 0..3 {
            pace = rate.start(pace, Timestamp(5_000)).unwrap();
        }
        let at = rate.start(pace, Timestamp(5_000)).unwrap_err();
        assert!(rate.start(pace, Timestamp(at.0 - 1)).is_err());
        assert!(rate.start(pace, at).is_ok());
    }

    #[test]
    fn a_clock_that_steps_back_allows_no_second_burst() {
        let rate: Rate = "2/min".parse().unwrap();
        let pace = rate.start(Pace::default(), Timestamp(100_000)).unwrap();
        let pace = rate.start(pace, Timestamp(100_000)).unwrap();
        assert!(rate.start(pace, Timestamp(90_000)).is_err());
    }

    #[test]
    fn a_rate_reads_back_as_it_is_written() {
        for text in ["1/s", "100/min", "1000000/h", "7/d"] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!(rate.to_string(), text);
        }
        for text in [
            "",
            "5",
            "/s",
            "0/s",
            "5/",
            "5/week",
            "-1/s",
            "1.5/s",
            "1000001/s",
        ] {
            let error = text.parse::<Rate>().unwrap_err();
            assert!(error.to_string().contains("100/min"), "{error}");
        }
    }

    fn key(key: &str) -> Group {
        Group::Key {
            scope: "send".to_owned(),
            key: key.to_owned(),
        }
    }

    #[test]
    fn a_job_needs_room_in_each_of_its_groups() {
        let mut room = Room::default();
        let (queue, full) = (Group::Queue("q".to_owned()), key("a"));
        let two = Limit {
            concurrency: Some(2),
            ..Limit::default()
        };
        room.add(queue.clone(), two, 0, Pace::default());
        room.add(full.clone(), two, 2, Pace::default());
        let now = Timestamp(0);
        assert_eq!(
            room.check(&[queue.clone(), full], true, now),
            Err(Blocked::Full)
        );
        let open = [queue, key("b")];
        for _ in 0..2 {
            assert_eq!(room.check(&open, true, now), Ok(()));
            room.take(&open, true, now);
        }
        assert_eq!(room.check(&open, true, now), Err(Blocked::Full));
    }

    #[test]
    fn what_only_goes_on_is_not_held_to_the_rate() {
        let mut room = Room::default();
        let limit = Limit {
            concurrency: None,
            rate: Some(Rate::new(1, Millis(1000))),
        };
        room.add(key("a"), limit, 0, Pace::default());
        let (groups, now) = ([key("a")], Timestamp(5_000));
        room.take(&groups, true, now);
        assert_eq!(
            room.check(&groups, true, now),
            Err(Blocked::Until(Timestamp(6_000)))
        );
        assert_eq!(room.check(&groups, false, now), Ok(()));
        assert_eq!(room.paces().count(), 1);
    }

    #[test]
    fn no_two_groups_have_one_text() {
        let groups = [
            key("a/b"),
            Group::Key {
                scope: "send/a".to_owned(),
                key: "b".to_owned(),
            },
            Group::Queue("send/a".to_owned()),
            Group::Tenant {
                queue: "send".to_owned(),
                tenant: "a".to_owned(),
            },
        ];
        for (i, a) in groups.iter().enumerate() {
            for b in &groups[i + 1..] {
                assert_ne!(a.text(), b.text());
            }
        }
    }
}
