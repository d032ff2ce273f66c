//! Tests of `#[job]`: refusals of the definition, and snapshots of what it becomes.

use super::*;
use crate::errors::texts_in;
use crate::snapshot;

/// The texts of all `compile_error!` in an expansion.
fn refusals(arguments: TokenStream, item: TokenStream) -> Vec<String> {
    texts_in(define(Kind::Job, arguments, item))
}

#[track_caller]
fn refused(arguments: TokenStream, item: TokenStream, part: &str) {
    let texts = refusals(arguments, item);
    assert_eq!(texts.len(), 1, "one mistake, one error: {texts:#?}");
    assert!(texts[0].contains(part), "{texts:#?}");
}

#[track_caller]
fn key_refused(template: &str, part: &str) {
    let item = quote!(
        async fn welcome(input: Signup) -> Result<()> {
            Ok(())
        }
    );
    refused(quote!(idempotency = #template), item, part);
}

#[test]
fn a_missing_key_is_asked_for_with_a_field_the_body_reads() {
    let item = quote! {
        async fn welcome(input: Signup) -> Result<()> {
            step!("a", greet(&input.email, input.clone(), other.input.x)).await?;
            step!("b", count(input.user_id)).await
        }
    };
    refused(
        quote!(),
        item,
        "add `idempotency = \"welcome:{input.user_id}\"`, or `idempotency = none`",
    );
}

#[test]
fn a_missing_key_is_asked_for_with_what_can_be_seen() {
    let cases = [
        (
            quote!(
                async fn w(input: Signup) -> Result<()> {
                    Ok(())
                }
            ),
            "\"w:{input.<field>}\"",
        ),
        (
            quote!(
                async fn w(id: u64) -> Result<()> {
                    Ok(())
                }
            ),
            "\"w:{id}\"",
        ),
        (
            quote!(
                async fn w(Signup { mail, org_id, .. }: Signup) -> Result<()> {
                    Ok(())
                }
            ),
            "\"w:{input.org_id}\"",
        ),
    ];
    for (item, hint) in cases {
        refused(quote!(), item, hint);
    }
}

#[test]
fn a_key_reads_the_input_and_nothing_else() {
    key_refused("signup", "the same for every input");
    key_refused("signup:{inptu.user_id}", "did you mean `{input.user_id}`?");
    key_refused("signup:{user_id}", "did you mean `{input.user_id}`?");
    key_refused("{input.a}{input.b}", "put a `:` between");
    key_refused("{input.a:?}", "format options");
}

#[test]
fn the_signature_is_checked_with_one_error_each() {
    let key = quote!(idempotency = none);
    let cases = [
        (
            quote!(
                fn w(input: u64) -> Result<()> {
                    Ok(())
                }
            ),
            "`async fn`",
        ),
        (
            quote!(
                async fn w<T>(input: T) -> Result<()> {
                    Ok(())
                }
            ),
            "cannot be generic",
        ),
        (
            quote!(
                async fn w(&self) -> Result<()> {
                    Ok(())
                }
            ),
            "a free function",
        ),
        (
            quote!(
                async fn w(input: &u64) -> Result<()> {
                    Ok(())
                }
            ),
            "owns its input, which is read back from the store; use `u64` itself",
        ),
        (
            quote!(
                async fn w() -> Result<()> {
                    Ok(())
                }
            ),
            "`input: ()`",
        ),
        (
            quote!(
                async fn w(input: u64) {
                    step!("a", b()).await;
                }
            ),
            "`-> Result<()>`",
        ),
        (
            quote!(
                const async fn w(input: u64) -> Result<()> {
                    Ok(())
                }
            ),
            "`const`",
        ),
        (
            quote!(
                struct W;
            ),
            "goes on an `async fn`",
        ),
        (quote!(impl W {}), "goes on an `async fn`"),
    ];
    for (item, part) in cases {
        refused(key.clone(), item, part);
    }
}

#[test]
fn a_name_is_never_its_own_former_name() {
    let item = quote!(
        async fn w(input: u64) -> Result<()> {
            Ok(())
        }
    );
    refused(
        quote!(idempotency = none, name = "a", was = ["a"]),
        item.clone(),
        "is the name it has now",
    );
    refused(
        quote!(idempotency = none, was = ["v", "w"]),
        item,
        "is the name it has now",
    );
}

#[test]
fn a_removed_step_is_not_there() {
    let item = quote!(
        async fn w(input: u64) -> Result<()> {
            step!("a", b()).await
        }
    );
    refused(
        quote!(idempotency = none, removed = ["a"]),
        item,
        "still in this job",
    );
    let item = quote!(
        async fn w(input: u64) -> Result<()> {
            for x in y {
                step!("a:{x}", was = ["b:{x}"], b()).await?;
            }
            Ok(())
        }
    );
    for (removed, part) in [
        ("a:{y}", "still in this job"),
        ("b:{id}", "answers to this name"),
    ] {
        refused(
            quote!(idempotency = none, removed = [#removed]),
            item.clone(),
            part,
        );
    }
    refused(
        quote!(idempotency = none, removed = ["helper/c", "helper//d"]),
        item,
        "is empty",
    );
}

#[test]
fn what_is_stored_holds_no_reference() {
    let key = quote!(idempotency = none);
    let cases = [
        (
            quote!(w(input: u64) -> Result<&'static str>),
            "use `String`",
        ),
        (
            quote!(w(input: u64) -> Result<Vec<&'static Plan>, E>),
            "use `Plan` itself",
        ),
        (
            quote!(w(input: u64) -> Result<(u8, &'static [u8])>),
            "use `Vec<u8>`",
        ),
        (quote!(w(input: Vec<&str>) -> Result<()>), "use `String`"),
    ];
    for (signature, part) in cases {
        refused(key.clone(), quote!(async fn #signature { todo() }), part);
    }
}

#[test]
fn mistakes_of_all_kinds_come_together() {
    let item = quote! {
        async fn welcome(input: Signup) -> Result<()> {
            work().await?;
            step!("a", b()).await?;
            step!("a", b()).await
        }
    };
    let texts = refusals(quote!(retrys = 3, timeout = "10q"), item);
    assert_eq!(texts.len(), 5, "{texts:#?}");
}

#[test]
fn a_plain_job() {
    let item = quote! {
        /// Welcomes a user.
        #[allow(clippy::too_many_lines)]
        pub async fn welcome(input: Signup, mailer: State<Mailer>, job: JobContext) -> Result<u64> {
            let account = step!("create-account", create_account(&input)).await?;
            for item in &input.items {
                step!("charge:{item.id}", attempts = 3, timeout = "30s", charge(item)).await?;
            }
            step!("cool-off", sleep = "3d").await;
            let reply = step!("feedback", event = FeedbackGiven, key = input.user_id, timeout = "14d").await?;
            step!("note", { note(&reply)?; Ok(account) }).await
        }
    };
    let arguments = quote!(
        idempotency = "signup:{input.user_id}",
        attempts = 5,
        backoff = "1s..1h",
        timeout = "10m"
    );
    snapshot::check("plain_job", define(Kind::Job, arguments, item));
}

#[test]
fn a_job_with_every_option() {
    let item = quote! {
        async fn welcome(Signup { user_id, .. }: Signup) -> Result<(), MyError> {
            step!("a", move greet(user_id)).await
        }
    };
    let arguments = quote!(
        idempotency = |input| input.user_id,
        name = "mail.welcome",
        was = ["welcome-mail"],
        queue = "mail",
        priority = 0,
        tenant = "{input.org_id}",
        visibility_timeout = "30s",
        step_timeout = "1m",
        unique_for = "24h",
        on_conflict = replace,
        expires = "1h",
        on_cancel = mail::take_back,
        removed = ["old"],
        allow = (raw_await),
        crate = my::jobs
    );
    snapshot::check("every_option", define(Kind::Job, arguments, item));
}

#[test]
fn a_task_becomes_a_job_with_a_schedule() {
    let arguments = quote!(
        schedule = "0 3 * * mon-fri",
        tz = "Europe/Paris",
        overlap = skip,
        attempts = 3
    );
    let item = quote! {
        async fn nightly(tick: Tick, mailer: State<Mailer>) -> Result<()> {
            step!("send", mailer.send(tick.at)).await
        }
    };
    snapshot::check("task", define(Kind::Task, arguments, item));
}

#[test]
fn a_task_without_its_tick_is_told_to_take_it() {
    let item = quote!(
        async fn nightly() -> Result<()> {
            Ok(())
        }
    );
    let texts = texts_in(define(Kind::Task, quote!(every = "1h"), item));
    assert_eq!(
        texts,
        ["a `#[task]` takes its tick as the first parameter; write `tick: Tick`"]
    );
}

#[test]
fn what_is_wrong_with_a_task_is_said_of_a_task() {
    let item = quote!(
        fn nightly(tick: Tick) -> Result<()> {
            Ok(())
        }
    );
    let texts = texts_in(define(Kind::Task, quote!(every = "1h"), item));
    assert_eq!(
        texts,
        ["a `#[task]` is an `async fn`: its steps are awaited; write `async fn`"]
    );
}

#[test]
fn a_schedule_on_a_job_makes_it_a_task() {
    let item = quote!(
        async fn nightly(tick: Tick) -> Result<()> {
            Ok(())
        }
    );
    let arguments = quote!(idempotency = none, schedule = "@daily");
    refused(arguments, item, "write `#[task(schedule = \"..\")]`");
}
