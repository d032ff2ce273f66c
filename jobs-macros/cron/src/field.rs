//! One field of a cron expression: numbers, ranges, steps, lists and names, as a set of bits.

use crate::words::{list, nearest, quoted};

/// What a field counts.
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    pub(crate) min: u8,
    pub(crate) max: u8,
    /// Names of the numbers from `min` on.
    names: &'static [&'static str],
    /// What to write for the number after the last, which people write for the first.
    wraps: Option<&'static str>,
}

const fn unit(name: &'static str, min: u8, max: u8) -> Unit {
    Unit {
        name,
        min,
        max,
        names: &[],
        wraps: None,
    }
}

pub(crate) const SECOND: Unit = Unit {
    wraps: Some("write `0` for the full minute"),
    ..unit("second", 0, 59)
};
pub(crate) const MINUTE: Unit = Unit {
    wraps: Some("write `0` for the full hour"),
    ..unit("minute", 0, 59)
};
pub(crate) const HOUR: Unit = Unit {
    wraps: Some("write `0` for midnight"),
    ..unit("hour", 0, 23)
};
pub(crate) const DAY: Unit = unit("day of the month", 1, 31);
pub(crate) const MONTH: Unit = Unit {
    names: &[
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ],
    ..unit("month", 1, 12)
};
/// 7 is Sunday too.
pub(crate) const WEEKDAY: Unit = Unit {
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
    ..unit("day of the week", 0, 7)
};

/// The numbers a field lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) bits: u64,
    /// It begins with `*`: it says nothing, or only a step.
    pub(crate) is_star: bool,
}

impl Field {
    pub(crate) fn has(self, number: u8) -> bool {
        self.bits >> number & 1 == 1
    }

    /// The first number from `least` on.
    pub(crate) fn from(self, least: u8) -> Option<u8> {
        let rest = self.bits.checked_shr(u32::from(least))?;
        (rest != 0).then(|| least + u8::try_from(rest.trailing_zeros()).unwrap_or(0))
    }
}

/// Reads a field; the error is a sentence without its place.
pub(crate) fn read(text: &str, unit: &Unit) -> Result<Field, String> {
    let mut bits = 0;
    for item in text.split(',') {
        if item.is_empty() {
            return Err("a comma has nothing beside it; remove it".to_owned());
        }
        bits |= read_item(item, unit)?;
    }
    if unit.max == WEEKDAY.max && bits >> 7 & 1 == 1 {
        bits = bits & 0x7F | 1;
    }
    Ok(Field {
        bits,
        is_star: text.starts_with('*'),
    })
}

/// `*`, `5`, `1-5`, and the last two with a step.
fn read_item(item: &str, unit: &Unit) -> Result<u64, String> {
    let (range, step) = match item.split_once('/') {
        None => (item, None),
        Some((range, step)) => (range, Some(step)),
    };
    let (first, last) = read_range(range, unit)?;
    let Some(step) = step else {
        return Ok(bits(first, last, 1));
    };
    let step = read_step(step, unit)?;
    if range != "*" && !range.contains('-') {
        return Err(format!(
            "`{}` says where to begin and not where to end; write `{range}-{}/{step}`",
            quoted(item),
            unit.max
        ));
    }
    Ok(bits(first, last, step))
}

fn bits(first: u8, last: u8, step: u8) -> u64 {
    (first..=last)
        .step_by(usize::from(step))
        .fold(0, |bits, number| bits | 1 << number)
}

fn read_range(range: &str, unit: &Unit) -> Result<(u8, u8), String> {
    if range == "*" {
        // Seven days of the week; the eighth number is a second name of the first.
        let last = if unit.max == WEEKDAY.max { 6 } else { unit.max };
        return Ok((unit.min, last));
    }
    let Some((first, last)) = range.split_once('-') else {
        let only = read_number(range, unit)?;
        return Ok((only, only));
    };
    let (from, mut to) = (read_number(first, unit)?, read_number(last, unit)?);
    if unit.max == WEEKDAY.max && to == 0 {
        // A week that ends on Sunday.
        to = 7;
    }
    if from > to {
        return Err(format!(
            "the range `{}` runs backwards; write `{first}-{},{}-{last}`",
            quoted(range),
            unit.spell_last(first),
            unit.spell_first(last),
        ));
    }
    Ok((from, to))
}

fn read_step(step: &str, unit: &Unit) -> Result<u8, String> {
    let longest = unit.max - unit.min;
    match step.parse::<u8>() {
        Ok(0) => Err(format!(
            "a step of `0` never moves on; write `*` for every {}, or `*/5` for every fifth",
            unit.name
        )),
        Ok(step) if step <= longest => Ok(step),
        Ok(_) => Err(too_long(step, longest)),
        Err(_) if !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit()) => {
            Err(too_long(step, longest))
        }
        Err(_) => Err(format!(
            "`{}` is no step; after a `/` stands a number, as in `*/5`",
            quoted(step)
        )),
    }
}

fn too_long(step: &str, longest: u8) -> String {
    format!(
        "a step of `{}` leaves the field at once; write at most `{longest}`, or say a length of time with `every`, as in `every = \"90m\"`",
        quoted(step)
    )
}

fn read_number(text: &str, unit: &Unit) -> Result<u8, String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        let number = text.parse::<u64>().unwrap_or(u64::MAX);
        let range = u64::from(unit.min)..=u64::from(unit.max);
        return match u8::try_from(number) {
            Ok(small) if range.contains(&number) => Ok(small),
            _ => Err(out_of_range(text, number, unit)),
        };
    }
    let word = text.to_ascii_lowercase();
    let named = unit.names.iter().position(|name| *name == word);
    match named.and_then(|at| u8::try_from(at).ok()) {
        Some(at) => Ok(unit.min + at),
        None => Err(not_a_number(text, &word, unit)),
    }
}

fn out_of_range(text: &str, number: u64, unit: &Unit) -> String {
    let Unit { min, max, .. } = unit;
    let nearest = match unit.wraps {
        Some(wraps) if number == u64::from(*max) + 1 => wraps.to_owned(),
        _ if number < u64::from(*min) => format!("the first is `{min}`"),
        _ => format!("the last is `{max}`"),
    };
    format!(
        "`{}` is not between {min} and {max}; {nearest}",
        quoted(text)
    )
}

fn not_a_number(text: &str, word: &str, unit: &Unit) -> String {
    if text.is_empty() {
        return "a number is missing; write one, or `*` for all".to_owned();
    }
    let text = quoted(text);
    if text == "?" {
        return "`?` is not known here; write `*`".to_owned();
    }
    if text.contains('#') || text.trim_end_matches(['L', 'W']).parse::<u8>().is_ok() || text == "L"
    {
        return format!(
            "`{text}` is a sign that only some schedulers know; fire on every day that it could be, and let the body look at the date"
        );
    }
    if let Some(near) = nearest_name(word, unit) {
        return format!("`{text}` is not known; did you mean `{near}`?");
    }
    let known = match unit.names {
        [] => String::new(),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(", or {}", list(&names, "or"))
        }
    };
    format!(
        "`{text}` is not a number from {} to {}{known}",
        unit.min, unit.max
    )
}

/// The name that was meant: by its first letters, as in `Monday`, or by a slip of the hand.
fn nearest_name<'a>(word: &str, unit: &Unit) -> Option<&'a str>
where
    'static: 'a,
{
    let names = unit.names.iter().copied();
    let begins = |name: &&str| word.len() > name.len() && word.starts_with(*name);
    names.clone().find(begins).or_else(|| nearest(word, names))
}

impl Unit {
    /// The last of the field, in the spelling of `like`.
    fn spell_last(&self, like: &str) -> String {
        match (self.names.last(), is_word(like)) {
            (Some(name), true) => (*name).to_owned(),
            _ => self.max.to_string(),
        }
    }

    fn spell_first(&self, like: &str) -> String {
        match (self.names.first(), is_word(like)) {
            (Some(name), true) => (*name).to_owned(),
            _ => self.min.to_string(),
        }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, unit: &Unit) -> Vec<u8> {
        let field = read(text, unit).unwrap();
        (0..64).filter(|number| field.has(*number)).collect()
    }

    fn refused(text: &str, unit: &Unit) -> String {
        read(text, unit).unwrap_err()
    }

    #[test]
    fn lists_ranges_steps_and_names_are_read() {
        assert_eq!(numbers("*/20", &MINUTE), [0, 20, 40]);
        assert_eq!(numbers("5,1-3,10-20/5", &MINUTE), [1, 2, 3, 5, 10, 15, 20]);
        assert_eq!(numbers("MAR-may", &MONTH), [3, 4, 5]);
        assert_eq!(numbers("*", &DAY).len(), 31);
    }

    #[test]
    fn seven_is_sunday_and_a_week_may_end_with_it() {
        assert_eq!(numbers("7", &WEEKDAY), [0]);
        assert_eq!(numbers("fri-sun", &WEEKDAY), [0, 5, 6]);
        assert_eq!(numbers("0-7", &WEEKDAY).len(), 7);
        assert_eq!(numbers("*", &WEEKDAY).len(), 7);
        assert_eq!(numbers("*/2", &WEEKDAY), [0, 2, 4, 6]);
    }

    #[test]
    fn a_number_out_of_range_is_answered_with_the_nearest_in_it() {
        let wrong = [
            (
                "60",
                &MINUTE,
                "`60` is not between 0 and 59; write `0` for the full hour",
            ),
            (
                "24",
                &HOUR,
                "`24` is not between 0 and 23; write `0` for midnight",
            ),
            ("0", &DAY, "`0` is not between 1 and 31; the first is `1`"),
            (
                "13",
                &MONTH,
                "`13` is not between 1 and 12; the last is `12`",
            ),
            (
                "0-99999999",
                &MINUTE,
                "`99999999` is not between 0 and 59; the last is `59`",
            ),
        ];
        for (text, unit, words) in wrong {
            assert_eq!(refused(text, unit), words);
        }
    }

    #[test]
    fn a_range_that_runs_backwards_is_answered_with_its_two_halves() {
        assert!(refused("50-10", &MINUTE).ends_with("write `50-59,0-10`"));
        assert!(refused("fri-mon", &WEEKDAY).ends_with("write `fri-sat,sun-mon`"));
        assert!(refused("nov-feb", &MONTH).ends_with("write `nov-dec,jan-feb`"));
    }

    #[test]
    fn a_name_is_answered_with_the_one_meant() {
        assert_eq!(
            refused("monday", &WEEKDAY),
            "`monday` is not known; did you mean `mon`?"
        );
        assert_eq!(
            refused("tus", &WEEKDAY),
            "`tus` is not known; did you mean `tue`?"
        );
    }

    #[test]
    fn steps_that_stand_still_or_leave_at_once_are_refused() {
        assert!(refused("*/0", &MINUTE).contains("never moves on"));
        assert!(refused("*/90", &MINUTE).contains("every = \"90m\""));
        assert!(refused("*/99999999999", &MINUTE).contains("leaves the field"));
        assert!(refused("*/x", &MINUTE).contains("is no step"));
        assert!(refused("5/10", &MINUTE).ends_with("write `5-59/10`"));
        assert!(refused("99999999/1", &MINUTE).contains("is not between"));
    }

    #[test]
    fn signs_of_other_schedulers_are_named() {
        assert!(refused("L", &DAY).contains("only some schedulers know"));
        assert!(refused("fri#2", &WEEKDAY).contains("only some schedulers know"));
        assert_eq!(refused("?", &DAY), "`?` is not known here; write `*`");
        assert!(refused("1,", &DAY).contains("comma"));
        assert!(refused("-5", &DAY).contains("a number is missing"));
    }
}
