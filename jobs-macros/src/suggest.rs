//! "Did you mean": the known word nearest to a mistyped one.

/// The nearest of `known`, if it is near enough that a slip of the hand explains the word.
pub(crate) fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The end of an error about an unknown word.
pub(crate) fn hint(word: &str, known: &[&str]) -> String {
    match closest(word, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", list(known)),
    }
}

/// "`a`, `b` and `c`"
pub(crate) fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// Single-letter edits between two words (Levenshtein), one row at a time.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        row[0] = left;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            left = replaced.min(diagonal + 1).min(left + 1);
            row[j + 1] = left;
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_is_recognised() {
        assert_eq!(
            closest("idempotancy", &["idempotency", "name"]),
            Some("idempotency")
        );
        assert_eq!(closest("atempts", &["attempts"]), Some("attempts"));
    }

    #[test]
    fn another_word_is_not() {
        assert_eq!(closest("colour", &["attempts", "queue", "name"]), None);
    }

    #[test]
    fn a_list_reads_as_a_sentence_does() {
        assert_eq!(list(&["a"]), "`a`");
        assert_eq!(list(&["a", "b", "c"]), "`a`, `b` and `c`");
    }

    #[test]
    fn distance_counts_single_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
