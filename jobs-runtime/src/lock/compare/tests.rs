//! Every kind of change, one row each: what is edited in a lock, and what is said about it.

use super::*;

const OLD: &str = r#"
version = 1

[job.sell]
crate = "shop"
key = "order:{order.id}"
tenant = "{order.shop}"
input = "shop::Order"
output = "shop::Outcome"
removed = ["hold"]
options.attempts = "7"
steps.charge = { kind = "step", output = "shop::Receipt", at_most_once = true }
steps.debit = { kind = "step", output = "()", tx = true }
steps."pack:{item.id}" = { kind = "step", output = "u32", was = ["wrap:{item.id}"] }
steps.payment = { kind = "event", event = "Paid", output = "shop::Paid" }
steps."billing/price" = { kind = "step", output = "u64" }

[job.thank]
crate = "shop"
was = ["greet", "salute"]
input = "shop::Note"
output = "()"

[event.Paid]
crate = "shop"
key = "u64"
payload = "shop::Paid"

[event.Left]
crate = "shop"
was = ["Gone"]
payload = "shop::Left"

[types]
"shop::Order" = ["object", "id: string", "note?: string", "cents: integer uint32", "of: object", "of.name: string"]
"shop::Outcome" = ["one of", "|Released: variant", "|Shipped: variant", "|Shipped: object", "|Shipped.parcel: string"]
"shop::Receipt" = ["object", "no: string"]
"shop::Paid" = ["object", "cents: integer uint64"]
"shop::Note" = "not known"
"shop::Strict" = ["object, no others", "a: string"]
"#;

use Risk::{Risky, Safe};

/// What is said when `from` is `to` in the lock of today.
#[track_caller]
fn said(edits: &[(&str, &str)]) -> Vec<Finding> {
    let mut text = OLD.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "the lock has no {from:?}");
        text = text.replace(from, to);
    }
    let (old, new) = (Lock::read(OLD).unwrap(), Lock::read(&text).unwrap());
    compare(&old, &new).findings
}

/// One change: its kind, its risk, and a part of its remedy.
#[track_caller]
fn row(edits: &[(&str, &str)], risk: Risk, change: &str, remedy: &str) {
    let found = said(edits);
    let told = found
        .iter()
        .find(|it| it.change == change && it.risk == risk);
    let told = told.unwrap_or_else(|| panic!("{change} is not told of {edits:?}: {found:#?}"));
    assert!(told.remedy.contains(remedy), "{told:#?}");
    assert_eq!(told.remedy.is_empty(), risk == Safe, "{told:#?}");
    let others = found
        .iter()
        .filter(|it| it.risk == Risky && it.change != change);
    assert_eq!(others.count(), 0, "one change, one risk: {found:#?}");
}

#[test]
fn nothing_is_said_about_what_did_not_change() {
    assert_eq!(said(&[]), []);
    let moved = [
        ("order:{order.id}", "order:{input.id}"),
        ("{order.shop}", "{input.shop}"),
    ];
    assert_eq!(said(&moved), []);
}

#[test]
fn a_renamed_step_is_risky_and_is_told_the_was_to_write() {
    row(
        &[("steps.charge", "steps.pay")],
        Risky,
        "step_renamed",
        r#"`was = ["charge"]`"#,
    );
    let helper = [("steps.\"billing/price\"", "steps.\"billing/ask\"")];
    row(&helper, Risky, "step_renamed", r#"`was = ["price"]`"#);
    let with_was = [(
        "steps.charge = { kind = \"step\",",
        "steps.pay = { kind = \"step\", was = [\"charge\"],",
    )];
    row(&with_was, Safe, "step_renamed", "");
}

#[test]
fn a_removed_step_is_risky_unless_it_is_listed_as_removed() {
    let charge =
        r#"steps.charge = { kind = "step", output = "shop::Receipt", at_most_once = true }"#;
    row(
        &[(charge, "")],
        Risky,
        "step_removed",
        r#"`removed = ["charge"]`"#,
    );
    let listed = [(charge, ""), ("removed = [", "removed = [\"charge\", ")];
    row(&listed, Safe, "step_given_up", "");
}

#[test]
fn a_changed_output_type_is_risky() {
    let unknown = [("output = \"()\", tx", "output = \"shop::Slip\", tx")];
    row(&unknown, Risky, "output_changed", "keep ()");
    let known = [("no: string", "no: integer uint64")];
    row(&known, Risky, "output_changed", "keep the type of `no`");
    let of_job = [("output = \"shop::Outcome\"", "output = \"shop::Note\"")];
    row(&of_job, Risky, "output_changed", "keep shop::Outcome");
}

#[test]
fn a_new_step_a_new_job_a_new_event_and_a_new_option_are_safe() {
    let step = [(
        "steps.debit",
        "steps.extra = { kind = \"sleep\" }\nsteps.debit",
    )];
    row(&step, Safe, "step_added", "");
    let job = [(
        "[event.Paid]",
        "[job.new]\ncrate = \"shop\"\ninput = \"()\"\noutput = \"()\"\n[event.Paid]",
    )];
    row(&job, Safe, "job_added", "");
    let event = [(
        "[event.Paid]",
        "[event.New]\ncrate = \"shop\"\npayload = \"()\"\n[event.Paid]",
    )];
    row(&event, Safe, "event_added", "");
    let option = [(
        "options.attempts",
        "options.timeout = \"1m\"\noptions.attempts",
    )];
    row(&option, Safe, "option_added", "");
}

#[test]
fn what_is_about_a_job() {
    row(
        &[("[job.sell]", "[job.vend]")],
        Risky,
        "job_renamed",
        r#"write `was = ["sell"]`"#,
    );
    row(
        &[("[job.sell]\n", "[job.vend]\nwas = [\"sell\"]\n")],
        Safe,
        "job_renamed",
        "",
    );
    let other = [
        ("[job.sell]", "[job.vend]"),
        ("input = \"shop::Order\"", "input = \"()\""),
    ];
    row(&other, Risky, "job_removed", "jobs preflight");
    row(
        &[("\"greet\", ", "")],
        Risky,
        "was_removed",
        r#"write `was = ["salute", "greet"]` again"#,
    );
    row(
        &[("\"greet\", ", "\"hello\", \"greet\", ")],
        Safe,
        "was_added",
        "",
    );
    let order = [("\"greet\", \"salute\"", "\"salute\", \"greet\"")];
    row(&order, Risky, "keys_moved", "end with \"salute\"");
    row(
        &[("order:{order.id}", "order:{order.no}")],
        Risky,
        "key_changed",
        "order:{order.id}",
    );
    row(
        &[("key = \"order:{order.id}\"\n", "")],
        Risky,
        "key_removed",
        "idempotency",
    );
    let added = [(
        "was = [\"greet\", \"salute\"]",
        "was = [\"greet\", \"salute\"]\nkey = \"k:{x}\"",
    )];
    row(&added, Safe, "key_added", "");
    row(
        &[("{order.shop}", "{order.owner}")],
        Safe,
        "tenant_changed",
        "",
    );
    row(
        &[(
            "options.attempts",
            "options.queue = \"slow\"\noptions.attempts",
        )],
        Risky,
        "queue_changed",
        "\"default\"",
    );
    row(&[("\"7\"", "\"8\"")], Safe, "option_changed", "");
    row(
        &[("removed = [\"hold\"]\n", "")],
        Risky,
        "removed_taken_away",
        "removed = [\"hold\"]",
    );
}

#[test]
fn what_is_about_a_step() {
    let kind = [(
        "steps.debit = { kind = \"step\", output = \"()\", tx = true",
        "steps.debit = { kind = \"sleep\"",
    )];
    row(&kind, Risky, "kind_changed", "another name than \"debit\"");
    row(
        &[(", at_most_once = true", "")],
        Risky,
        "effect_changed",
        "at_most_once",
    );
    row(&[(", tx = true", "")], Risky, "effect_changed", "tx = ");
    row(
        &[("\"u32\", was", "\"u32\", at_most_once = true, was")],
        Safe,
        "effect_changed",
        "",
    );
    row(
        &[("\"wrap:{item.id}\"", "")],
        Risky,
        "was_removed",
        "wrap:{item.id}",
    );
    row(
        &[("steps.\"pack:{item.id}", "steps.\"pack:{item.sku}")],
        Risky,
        "placeholder_changed",
        "pack:{item.id}",
    );
    let event = [("event = \"Paid\"", "event = \"Left\"")];
    row(&event, Risky, "event_changed", "was = [\"Paid\"]");
}

#[test]
fn what_is_about_an_event() {
    let renamed = [
        ("[event.Paid]", "[event.Settled]"),
        ("event = \"Paid\"", "event = \"Settled\""),
    ];
    let found = said(&renamed);
    let told: Vec<&str> = found
        .iter()
        .filter(|it| it.risk == Risky)
        .map(|it| it.change)
        .collect();
    assert_eq!(told, ["event_changed", "event_renamed"], "{found:#?}");
    row(
        &[("[event.Left]", "[event.Off]")],
        Risky,
        "event_renamed",
        r#"was = ["Left", "Gone"]"#,
    );
    row(&[("was = [\"Gone\"]\n", "")], Risky, "was_removed", "Gone");
    row(
        &[("key = \"u64\"", "key = \"String\"")],
        Risky,
        "event_key_changed",
        "keep `key = u64`",
    );
    row(
        &[(
            "payload = \"shop::Left\"",
            "ttl = \"7d\"\npayload = \"shop::Left\"",
        )],
        Safe,
        "option_changed",
        "",
    );
    row(
        &[("payload = \"shop::Left\"", "payload = \"shop::Off\"")],
        Risky,
        "payload_changed",
        "keep shop::Left",
    );
}

#[test]
fn what_is_about_the_fields_of_a_type() {
    let add = |line: &'static str| [("\"id: string\",", line)];
    row(
        &add("\"id: string\", \"x: string\","),
        Risky,
        "field_added",
        "`#[serde(default)]` on `x`",
    );
    row(
        &add("\"id: string\", \"x?: string\","),
        Safe,
        "field_added",
        "",
    );
    row(&add(""), Safe, "field_removed", "");
    row(
        &[("\"note?: string\"", "\"note: string\"")],
        Risky,
        "default_removed",
        "`note`",
    );
    row(
        &[("\"id: string\"", "\"id?: string\"")],
        Safe,
        "default_added",
        "",
    );
    row(
        &[("\"id: string\"", "\"id: string or null\"")],
        Safe,
        "type_widened",
        "",
    );
    row(
        &[("integer uint32", "integer uint64")],
        Safe,
        "type_widened",
        "",
    );
    row(
        &[("integer uint32", "integer int64")],
        Safe,
        "type_widened",
        "",
    );
    row(
        &[("integer uint32", "integer uint16")],
        Risky,
        "input_changed",
        "`cents`",
    );
    row(
        &[("integer uint32", "integer int32")],
        Risky,
        "input_changed",
        "`cents`",
    );
    row(
        &[("\"|Released: variant\", ", "")],
        Risky,
        "variant_removed",
        "`|Released`",
    );
    row(
        &[(
            "\"|Released: variant\"",
            "\"|Released: variant\", \"|Lost: variant\"",
        )],
        Safe,
        "field_added",
        "",
    );
    let held = [(
        "\"of: object\", \"of.name: string\"",
        "\"by: object\", \"by.name: string\"",
    )];
    row(&held, Risky, "field_added", "`by`");
    let strict = [("input = \"shop::Order\"", "input = \"shop::Strict\"")];
    let found = said(&strict);
    assert!(
        found
            .iter()
            .any(|it| it.change == "field_added" && it.risk == Risky),
        "{found:#?}"
    );
}

#[test]
fn a_field_that_is_refused_is_risky() {
    let old = "version = 1\n[job.a]\ncrate = \"c\"\ninput = \"T\"\noutput = \"()\"\n[types]\nT = [\"object\", \"a: string\"]";
    let new = old.replace("[\"object\", \"a: string\"]", "[\"object, no others\"]");
    let report = compare(&Lock::read(old).unwrap(), &Lock::read(&new).unwrap());
    let told: Vec<&str> = report.risky().map(|it| it.change).collect();
    assert_eq!(told, ["field_removed"], "{report:#?}");
}

#[test]
fn a_change_of_a_type_is_told_once_however_many_jobs_have_it() {
    let edits = [
        ("input = \"shop::Note\"", "input = \"shop::Order\""),
        ("id: string", "id: boolean"),
    ];
    let found = said(&edits);
    let told = found.iter().filter(|it| it.message.contains("`id`"));
    assert_eq!(told.count(), 1, "{found:#?}");
}

#[test]
fn a_lock_reads_back_as_it_was_written() {
    let lock = Lock::read(OLD).unwrap();
    let text = lock.to_toml();
    assert_eq!(Lock::read(&text).unwrap(), lock);
    assert_eq!(Lock::read(&text).unwrap().to_toml(), text);
}

#[test]
fn names_of_every_kind_of_letter_read_back() {
    let mut lock = Lock::default();
    let name = "a.b \"c\" \\ \u{7}\u{7f}é{x}/[y]";
    let mut job = crate::lock::JobLock::default();
    job.steps
        .insert(name.to_owned(), crate::lock::StepLock::default());
    job.was = vec![name.to_owned()];
    lock.jobs.insert(name.to_owned(), job);
    assert_eq!(Lock::read(&lock.to_toml()).unwrap(), lock);
}

#[test]
fn what_is_no_lock_file_is_refused_with_a_code() {
    for text in [
        "",
        "version = 2",
        "<<<<<<< ours",
        "version = 1\n[job.a]\nnews = 1",
        "version = 1\n[types]\nT = \"?\"",
    ] {
        let error = Lock::read(text).unwrap_err();
        assert_eq!(error.code(), "X_LOCK_INVALID", "{text}");
    }
}
