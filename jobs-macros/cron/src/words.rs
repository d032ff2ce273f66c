//! Words for errors: names of the calendar, lists, and what was probably meant.

pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// "a, b and c"
pub(crate) fn list(words: &[String], last: &str) -> String {
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// The nearest of `known`, if a slip of the hand explains the word. Capitals make no difference.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let distance =
        |candidate: &str| strsim::damerau_levenshtein(&word, &candidate.to_ascii_lowercase());
    known
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// A text of the user in an error: short, on one line, and without control characters.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST_CHARS: usize = 40;
    let short: String = text.chars().take(LONGEST_CHARS).collect();
    let dots = if short.len() < text.len() { ".." } else { "" };
    format!("{}{dots}", short.escape_debug())
}
