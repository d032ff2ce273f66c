//! What is said about a zone that is not known. The data of zones is elsewhere.

use crate::words::{nearest, quoted};

/// The longest name of a zone, in bytes: far above any there is.
const ZONE_LIMIT_BYTES: usize = 64;

/// `None` if `name` is one of `known`, as it stands there; otherwise a sentence that says what to
/// write instead.
pub fn refuse_zone<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.collect();
    if known.contains(&name) {
        return None;
    }
    if name.len() > ZONE_LIMIT_BYTES {
        return Some(format!(
            "a name of {} bytes is no zone; write a place, as in \"Europe/Paris\"",
            name.len()
        ));
    }
    if is_offset(name) {
        return Some(format!(
            "`{}` is an offset, and knows no summer time; name a place, as in \"Europe/Paris\"",
            quoted(name)
        ));
    }
    let name = name.trim();
    Some(match meant(name, &known) {
        Some(near) => format!(
            "there is no zone `{}`; did you mean \"{near}\"?",
            quoted(name)
        ),
        None => format!(
            "there is no zone `{}`; write the name of a place as the IANA database has it, as in \"Europe/Paris\", or \"UTC\"",
            quoted(name)
        ),
    })
}

/// `+02:00`, `UTC+2`, `GMT-03:30`
fn is_offset(name: &str) -> bool {
    let rest = name.trim_start_matches("UTC").trim_start_matches("GMT");
    let digits = rest.trim_start_matches(['+', '-']);
    digits.len() < rest.len()
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == ':')
}

fn meant<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let spelled = name.replace(' ', "_");
    let same = |zone: &&&str| zone.eq_ignore_ascii_case(&spelled);
    let city = |zone: &&&str| {
        let last = zone.rsplit('/').next();
        last.is_some_and(|last| last.eq_ignore_ascii_case(&spelled))
    };
    let found = known.iter().find(same).or_else(|| known.iter().find(city));
    found
        .copied()
        .or_else(|| nearest(&spelled, known.iter().copied()))
        // The city of a zone, mistyped and without its continent.
        .or_else(|| {
            let cities = known.iter().filter_map(|zone| zone.rsplit_once('/'));
            let city = nearest(&spelled, cities.map(|(_, city)| city))?;
            known
                .iter()
                .copied()
                .find(|zone| zone.ends_with(&format!("/{city}")))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = [
        "UTC",
        "Europe/Paris",
        "Europe/Berlin",
        "America/New_York",
        "Asia/Kolkata",
    ];

    fn refused(name: &str) -> Option<String> {
        refuse_zone(name, KNOWN.into_iter())
    }

    #[test]
    fn a_zone_that_is_known_is_let_through() {
        assert_eq!(refused("Europe/Paris"), None);
        assert_eq!(refused("UTC"), None);
    }

    #[test]
    fn a_zone_that_is_not_is_answered_with_the_one_meant() {
        let pairs = [
            ("Europe/Pariss", "Europe/Paris"),
            ("europe/paris", "Europe/Paris"),
            ("Paris", "Europe/Paris"),
            ("America/New York", "America/New_York"),
            ("new_yrok", "America/New_York"),
        ];
        for (wrong, right) in pairs {
            let text = refused(wrong).unwrap();
            assert!(
                text.ends_with(&format!("did you mean \"{right}\"?")),
                "{text}"
            );
        }
    }

    #[test]
    fn an_offset_is_no_zone() {
        for offset in ["+02:00", "UTC+2", "GMT-03:30"] {
            let text = refused(offset).unwrap();
            assert!(text.contains("knows no summer time"), "{text}");
        }
    }

    #[test]
    fn what_is_like_no_zone_gets_an_example() {
        for text in ["", "Middle-earth/Rivendell", &"x".repeat(1 << 20)] {
            let text = refused(text).unwrap();
            assert!(text.contains("Europe/Paris") && text.len() < 200, "{text}");
        }
    }
}
