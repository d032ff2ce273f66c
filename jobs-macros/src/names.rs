//! What a durable name may look like. Names live in stores for years, so the rules are strict
//! where a character could be misread later. Whether a name is taken is not decided here.

/// The same for jobs, queues and steps: it fits the key of every store.
pub(crate) const MAX_NAME_BYTES: usize = 200;

/// The rule for names of jobs, queues and events.
pub(crate) fn check_plain(what: &str, name: &str) -> Result<(), String> {
    check_length(what, name)?;
    match name
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || "_.-".contains(*c)))
    {
        None => Ok(()),
        Some(c) => Err(format!(
            "the {what} `{name}` contains {}; use letters, digits, `_`, `-` and `.`",
            spell(c)
        )),
    }
}

/// The rule for names of steps; `text` is the template as written.
pub(crate) fn check_step(text: &str) -> Result<(), String> {
    check_length("step name", text)?;
    if text.contains('/') {
        return Err(format!(
            "the step name \"{text}\" contains `/`, which is kept for the steps of helpers; use `:` instead"
        ));
    }
    match text.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(c) => Err(format!(
            "the step name \"{}\" contains {}; use characters that can be printed",
            text.escape_debug(),
            spell(c)
        )),
    }
}

fn check_length(what: &str, name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err(format!("the {what} is empty; write at least one character"));
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(format!(
            "the {what} has {} bytes, and {MAX_NAME_BYTES} is the most; write a shorter one",
            name.len()
        ));
    }
    Ok(())
}

fn spell(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        c if c.is_control() => format!("the control character {}", c.escape_unicode()),
        c => format!("`{c}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_letters_digits_and_three_marks() {
        assert_eq!(check_plain("job name", "welcome_mail-2.b"), Ok(()));
        assert_eq!(
            check_plain("job name", "wel come"),
            Err(
                "the job name `wel come` contains a space; use letters, digits, `_`, `-` and `.`"
                    .to_owned()
            )
        );
    }

    #[test]
    fn a_step_name_may_hold_a_colon_but_no_slash() {
        assert_eq!(check_step("charge:{item.id}"), Ok(()));
        assert!(check_step("billing/charge").is_err());
    }

    #[test]
    fn empty_and_endless_names_are_refused() {
        assert!(check_step("").is_err());
        assert_eq!(check_step(&"x".repeat(MAX_NAME_BYTES)), Ok(()));
        assert!(check_step(&"x".repeat(MAX_NAME_BYTES + 1)).is_err());
    }
}
