//! Durations and back-offs written in quotes, read at compile time. Durations that are computed
//! are none of ours: they go through `private::duration` at run time.

/// A century: longer is a slip, and far from where milliseconds in 64 bits overflow.
const MAX_DURATION_MILLIS: u64 = 100 * 365 * 86_400_000;

const UNITS: &[(&str, u64)] = &[
    ("ms", 1),
    ("s", 1_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];

/// How people also write the units, and the one of ours each stands for.
const OTHER_SPELLINGS: &[(&str, &str)] = &[
    ("millis", "ms"),
    ("milliseconds", "ms"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("min", "m"),
    ("mins", "m"),
    ("minute", "m"),
    ("minutes", "m"),
    ("hr", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("day", "d"),
    ("days", "d"),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Backoff {
    Fixed { millis: u64 },
    Exponential { min_millis: u64, max_millis: u64 },
}

/// `"10m"` in milliseconds, or a sentence that says what is wrong.
pub(crate) fn millis(text: &str) -> Result<u64, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(format!(
            "\"{text}\" is not a duration; write a number and a unit, as in \"30s\", \"10m\" or \"3d\""
        ));
    }
    let scale = scale(text, number, unit)?;
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(scale))
        .filter(|millis| *millis <= MAX_DURATION_MILLIS)
        .ok_or_else(|| format!("\"{text}\" is longer than a hundred years, the longest duration"))
}

/// As [`millis`], for what makes no sense when it is zero.
pub(crate) fn positive_millis(text: &str) -> Result<u64, String> {
    match millis(text)? {
        0 => Err(format!(
            "\"{text}\" is no time at all; write at least \"1ms\""
        )),
        millis => Ok(millis),
    }
}

/// `"30s"` is always thirty seconds; `"1s..1h"` doubles from one second up to an hour.
pub(crate) fn backoff(text: &str) -> Result<Backoff, String> {
    let Some((min, max)) = text.split_once("..") else {
        return positive_millis(text).map(|millis| Backoff::Fixed { millis });
    };
    let (min_millis, max_millis) = (positive_millis(min)?, positive_millis(max)?);
    if min_millis > max_millis {
        return Err(format!(
            "this back-off would start above its end; write \"{max}..{min}\""
        ));
    }
    Ok(Backoff::Exponential {
        min_millis,
        max_millis,
    })
}

fn scale(text: &str, number: &str, unit: &str) -> Result<u64, String> {
    if let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) {
        return Ok(*scale);
    }
    let word = unit.trim();
    if let Some(one) = composed(text) {
        return Err(format!(
            "a duration is one number and one unit; write \"{text}\" as \"{one}\""
        ));
    }
    let meant = UNITS
        .iter()
        .map(|(name, _)| (*name, *name))
        .chain(OTHER_SPELLINGS.iter().copied())
        .find(|(spelling, _)| *spelling == word)
        .map(|(_, unit)| unit);
    Err(match meant {
        Some(meant) => format!("write this duration as \"{number}{meant}\""),
        None if word.is_empty() => format!(
            "\"{text}\" has no unit; write \"{number}s\" for seconds or \"{number}m\" for minutes"
        ),
        None if word.starts_with('.') => format!(
            "\"{text}\" has a fraction; write a whole number of a smaller unit, as in \"90m\" for an hour and a half"
        ),
        None => format!("unknown unit `{word}` in \"{text}\"; use ms, s, m, h or d"),
    })
}

/// `"1h30m"` in the largest unit that measures it: `"90m"`.
fn composed(text: &str) -> Option<String> {
    let (mut rest, mut total, mut parts) = (text, 0_u64, 0);
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        let letters = after.len()
            - after
                .trim_start_matches(|c: char| c.is_ascii_lowercase())
                .len();
        let (unit, after) = after.split_at(letters);
        let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total = number
            .parse::<u64>()
            .ok()?
            .checked_mul(*scale)?
            .checked_add(total)?;
        parts += 1;
        rest = after.trim_start();
    }
    let (unit, scale) = UNITS.iter().rev().find(|(_, scale)| total % scale == 0)?;
    (parts > 1).then(|| format!("{}{unit}", total / scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
        assert_eq!(millis("500ms"), Ok(500));
        assert_eq!(millis("30s"), Ok(30_000));
        assert_eq!(millis("10m"), Ok(600_000));
        assert_eq!(millis("1h"), Ok(3_600_000));
        assert_eq!(millis("3d"), Ok(259_200_000));
    }

    #[test]
    fn a_missing_unit_names_the_two_likely_ones() {
        assert_eq!(
            millis("10"),
            Err("\"10\" has no unit; write \"10s\" for seconds or \"10m\" for minutes".to_owned())
        );
    }

    #[test]
    fn an_unknown_unit_is_named() {
        assert_eq!(
            millis("10q"),
            Err("unknown unit `q` in \"10q\"; use ms, s, m, h or d".to_owned())
        );
    }

    #[test]
    fn a_long_spelling_is_answered_with_the_short_one() {
        assert_eq!(
            millis("10 min"),
            Err("write this duration as \"10m\"".to_owned())
        );
        assert_eq!(
            millis("10 m"),
            Err("write this duration as \"10m\"".to_owned())
        );
    }

    #[test]
    fn words_fractions_and_ages_are_refused() {
        for text in ["", "soon", "-1s", "1.5h", "99999999999999999999d", "40000d"] {
            assert!(millis(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_backoff_is_one_duration_or_a_range() {
        assert_eq!(backoff("30s"), Ok(Backoff::Fixed { millis: 30_000 }));
        assert_eq!(
            backoff("1s..1h"),
            Ok(Backoff::Exponential {
                min_millis: 1_000,
                max_millis: 3_600_000
            })
        );
    }

    #[test]
    fn a_backoff_never_starts_at_zero_nor_above_its_end() {
        assert!(backoff("0s").is_err());
        assert!(backoff("0s..1h").is_err());
        assert_eq!(
            backoff("1h..1s"),
            Err("this back-off would start above its end; write \"1s..1h\"".to_owned())
        );
    }
}
