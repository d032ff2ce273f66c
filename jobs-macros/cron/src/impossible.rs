//! Dates that no year has: a schedule of nothing else would never fire, and nobody would notice.

use crate::civil::LONGEST;
use crate::cron::Cron;
use crate::words::{MONTHS, list};

/// A sentence if no date fits.
pub(crate) fn refuse(cron: &Cron) -> Option<String> {
    // With a weekday to choose, or every day, some date always fits.
    if cron.days.is_star || !cron.weekdays.is_star {
        return None;
    }
    let first_day = cron.days.from(0)?;
    let months = (1..=12).filter(|month| cron.months.has(*month));
    let months: Vec<usize> = months.map(|month| usize::from(month - 1)).collect();
    if months.iter().any(|month| LONGEST[*month] >= first_day) {
        return None;
    }
    let names: Vec<String> = months
        .iter()
        .map(|month| MONTHS[*month].to_owned())
        .collect();
    let longest = months.iter().map(|month| LONGEST[*month]).max()?;
    Some(format!(
        "this would never fire: {} never {} a day {first_day}; the last day that can be is `{longest}`",
        list(&names, "and"),
        if names.len() == 1 { "has" } else { "have" },
    ))
}
