//! What two names have to do with each other: templates that can give one name, and names that
//! one person may have meant for one thing. Nothing is decided here.

/// A template without what stands in its placeholders: `charge:{}`. Two steps of one job cannot
/// share one.
pub(super) fn skeleton(template: &str) -> String {
    each_hole(template, |_| String::new())
}

/// A template over the input, whatever the input's variable is called: `order:{.id}`.
pub(super) fn without_root(template: &str) -> String {
    each_hole(template, |hole| match hole.split_once('.') {
        Some((_, fields)) => format!(".{fields}"),
        None => String::new(),
    })
}

fn each_hole(template: &str, change: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(doubled) = rest.strip_prefix('{') {
            out.push_str("{{");
            rest = doubled;
            continue;
        }
        let (hole, after) = rest.split_once('}').unwrap_or((rest, ""));
        out.push('{');
        out.push_str(&change(hole));
        out.push('}');
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The one of `candidates` that is most likely `name` under a new name: the nearest by letters.
pub(super) fn likeliest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates.min_by_key(|candidate| strsim::damerau_levenshtein(name, candidate))
}

/// `["old", "older"]`, as it is written in a `was`.
pub(super) fn was_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    format!("was = [{}]", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skeleton_forgets_what_stands_in_placeholders() {
        assert_eq!(skeleton("charge:{item.id}/{n}"), "charge:{}/{}");
        assert_eq!(skeleton("{{a}}:{n}"), "{{a}}:{}");
    }

    #[test]
    fn a_key_is_the_same_whatever_its_input_is_called() {
        assert_eq!(
            without_root("order:{input.id}"),
            without_root("order:{order.id}")
        );
        assert_eq!(without_root("order:{id}"), "order:{}");
        assert_ne!(
            without_root("order:{input.id}"),
            without_root("order:{input.no}")
        );
    }
}
