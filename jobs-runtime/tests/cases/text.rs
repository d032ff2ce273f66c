//! Hostile text and bytes, secrets, and errors as long as a book.

use crate::logs;
use crate::raw;
use crate::support::{HOUR, World, each_store};
use jobs_runtime::codec::{KeyRing, Sealed};
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::{ERROR_MESSAGE_LIMIT_BYTES, Payload, State as JobState};
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;

const NUL: &str = "a\0b";

#[derive(Serialize, Deserialize, Debug, PartialEq, Event)]
#[event(name = "case-text", key = String)]
struct Text(String);

#[job(name = "case-nul", idempotency = "{input.0}:{input.1}", attempts = 1)]
async fn nul(input: (String, String), job: JobContext) -> Result<String> {
    let (how, text) = input;
    job.log(&text);
    job.progress(1, 2, &text);
    let kept = step!("keep:{text}", { Ok(text.clone()) }).await?;
    let note = step!("note", event = Text, key = text.clone(), required).await?;
    match how.as_str() {
        "error" => Err(Failure::msg(format!("failed: {text}"))),
        "panic" => panic!("panicked: {text}"),
        "step" => {
            step!("bad", {
                Err::<(), _>(Failure::msg(format!("failed: {text}")))
            })
            .await?;
            Ok(kept)
        }
        _ => Ok(format!("{kept}{}", note.0)),
    }
}

each_store!(b80_a_zero_character_goes_through_every_field_and_every_end);
async fn b80_a_zero_character_goes_through_every_field_and_every_end(world: World) {
    let bench = world.bench();
    for text in [NUL, "\0", "\u{fffd}\u{202e}", "\u{7f}\u{1b}[2J"] {
        for how in ["ok", "error", "panic", "step"] {
            let request = nul((how.into(), text.into())).tenant(text);
            let handle = request.enqueue(bench.jobs()).await.unwrap();
            bench.drain().await.unwrap();
            bench
                .jobs()
                .publish(Text(text.into()), text.to_owned())
                .await
                .unwrap();
            bench.drain().await.unwrap();
            let view = world.view(handle.id()).await;
            assert_eq!(view.log[0].text, text);
            assert_eq!(view.job.spec.tenant.as_deref(), Some(text));
            assert_eq!(view.job.notes.progress.unwrap().message, text);
            if how == "ok" {
                let both = format!("{text}{text}");
                assert_eq!(bench.outcome(&handle).await.unwrap(), both);
            } else {
                assert_eq!(view.job.head.state, JobState::Dead, "{how} {text:?}");
                let error = view.job.notes.error.unwrap();
                assert!(error.to_string().contains(text), "{error:?}");
            }
        }
    }
    // Bytes that are no text, and escapes that are no character, end as dead letters.
    for bytes in [
        &b"\xff\xfe"[..],
        br#"["ok","\ud800"]"#,
        b"\0",
        b"[\"ok\",\"\0\"]",
    ] {
        let mut job = world.job("case-nul");
        job.spec.input = Payload::json(bytes);
        job.attempts_max = 1;
        world.store(&job).await.unwrap();
        bench.drain().await.unwrap();
        let row = world.row(job.spec.id).await;
        assert_eq!(
            (row.head.state, row.spec.input.bytes),
            (JobState::Dead, bytes.to_vec())
        );
    }
    let mut event = raw::event(world.now(), NUL, Some(NUL));
    event.payload = Payload::json(*b"\0\xff");
    world
        .driver()
        .publish(&[event], Some(world.now()))
        .await
        .unwrap();
    let events = world
        .driver()
        .inspect()
        .events(Some(NUL), 0, 10)
        .await
        .unwrap();
    assert_eq!(events[0].payload.bytes, b"\0\xff");
    assert_eq!(events[0].key.as_deref(), Some(NUL));
}

each_store!(b81_names_are_data_and_never_become_a_statement);
async fn b81_names_are_data_and_never_become_a_statement(world: World) {
    let evil = [
        "x'; DROP TABLE jobs_job; --",
        "a\"b",
        "x`y",
        "1; VACUUM",
        "%s",
        "?1",
    ];
    for name in evil {
        let mut job = world.job(name);
        job.spec.queue = name.into();
        job.spec.tenant = Some(name.into());
        job.spec.key = Some(name.into());
        world.store(&job).await.unwrap();
        let event = raw::event(world.now(), name, Some(name));
        world
            .driver()
            .publish(&[event], Some(world.now()))
            .await
            .unwrap();
        let filter = JobFilter {
            queue: Some(name.into()),
            name: Some(name.into()),
            tenant: Some(name.into()),
            key: Some(name.into()),
            state: None,
        };
        let page = world
            .driver()
            .inspect()
            .list(&filter, None, 10)
            .await
            .unwrap();
        assert_eq!(page.jobs.len(), 1, "{name}");
        world.jobs().admin().pause(name).await.unwrap();
    }
    assert!(
        world.claim(10).await.is_empty(),
        "each queue is paused by its own name"
    );
    let names = world.driver().inspect().live_names().await.unwrap();
    assert_eq!(names.len(), evil.len());
    // There is no prefix of tables to choose: what is not known is refused, not put into SQL.
    for option in [
        "prefix=x'; DROP TABLE jobs_job; --",
        "schema=a%22b",
        "table=",
    ] {
        let url = format!("sqlite://never-made.db?{option}");
        let refused = Jobs::connect(&url).await.map(|_| ()).unwrap_err();
        assert_eq!(refused.code(), "X_URL_INVALID", "{refused}");
    }
}

#[job(
    name = "case-long-error",
    idempotency = "case-long-error:{input}",
    attempts = 1
)]
async fn long_error(input: String) -> Result<()> {
    let page = "x".repeat(5 * 1024 * 1024);
    match input.as_str() {
        "panic" => panic!("{page}"),
        "step" => step!("bulk", { Err::<(), _>(Failure::msg(page.as_str())) }).await?,
        "lines" => return Err(Failure::msg("at a line\n".repeat(100_000))),
        _ => return Err(Failure::msg(page)),
    }
    Ok(())
}

each_store!(b88_an_error_of_five_megabytes_is_stored_cut_and_says_so);
async fn b88_an_error_of_five_megabytes_is_stored_cut_and_says_so(world: World) {
    let bench = world.bench();
    for how in ["body", "step", "panic", "lines"] {
        let handle = long_error(how.into()).enqueue(bench.jobs()).await.unwrap();
        bench.drain().await.unwrap();
        let view = world.view(handle.id()).await;
        let error = view.job.notes.error.clone().unwrap();
        assert!(
            error.message.len() <= ERROR_MESSAGE_LIMIT_BYTES + 100,
            "{how}"
        );
        assert!(
            error.message.contains("[cut: "),
            "{how}: {}",
            &error.message[..100]
        );
        let stored = serde_json::to_string(&view.job).unwrap().len();
        let journal = serde_json::to_string(&view.journal).unwrap().len();
        assert!(
            stored + journal < 128 * 1024,
            "{how}: {stored} and {journal} bytes"
        );
        let told = bench.outcome(&handle).await.unwrap_err().to_string();
        assert!(told.len() < 64 * 1024, "{how}");
    }
    let page = bench
        .jobs()
        .admin()
        .list(&JobFilter::default(), None, 100)
        .await
        .unwrap();
    assert_eq!(page.jobs.len(), 4);
}

#[job(name = "case-secret", idempotency = none, attempts = 2, backoff = "1s")]
async fn secret(input: String) -> Result<String> {
    let kept = step!("keep", { Ok(input.clone()) }).await?;
    let note = step!("note", event = Text, key = "k".to_owned(), required).await?;
    if kept.is_empty() {
        return Err(Failure::msg("nothing"));
    }
    step!("fails", attempts = 2, backoff = "1s", {
        Err::<(), _>(Failure::msg("no"))
    })
    .await
    .ok();
    Ok(format!("{kept}{}", note.0))
}

each_store!(b87_neither_passwords_nor_payloads_show_in_a_log_or_an_error);
async fn b87_neither_passwords_nor_payloads_show_in_a_log_or_an_error(world: World) {
    const SECRET: &str = "S3CRET";
    logs::keep();
    for url in [
        "postgres://app:S3CRET@db.example/jobs",
        "redis://:S3CRET@cache.example",
        "nats://app:S3CRET@nats.example:4222",
        "postgres:app:S3CRET@db.example",
        "app:S3CRET@db.example/jobs",
        "sqlite://app:S3CRET@place/../x.db?what=ever",
        "postgres://db.example/jobs?user=app&password=S3CRET",
    ] {
        let refused = Jobs::connect(url).await.map(|_| ()).unwrap_err();
        let told = format!(
            "{refused} {refused:?} {} {:?}",
            refused.fix(),
            Failure::from(refused.clone())
        );
        assert!(!told.contains(SECRET), "{url}: {told}");
    }
    let bench = world.bench();
    let jobs = bench.jobs();
    let handle = secret(SECRET.into()).enqueue(jobs).await.unwrap();
    bench.drain().await.unwrap();
    jobs.publish(Text(SECRET.into()), "k".to_owned())
        .await
        .unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), "S3CRETS3CRET");
    // What a person prints of a job shows the sizes of its payloads only.
    let view = format!("{:?}", world.view(handle.id()).await);
    assert!(!view.contains(SECRET), "{view}");
    assert!(logs::count() > 10);
    assert_eq!(logs::with(SECRET), Vec::<String>::new());
}

/// The first integer that a number of JavaScript cannot hold.
const LARGE: u64 = 9_007_199_254_740_993;

#[derive(Serialize, Deserialize, Debug, PartialEq, Event)]
#[event(name = "case-number", key = u64)]
struct Number(u64);

#[job(name = "case-number-child", idempotency = "case-number-child:{input}")]
async fn number_child(input: u64) -> Result<u64> {
    Ok(input)
}

#[job(
    name = "case-number",
    idempotency = "case-number:{input}",
    attempts = 2,
    backoff = "1s"
)]
async fn number(input: u64, job: JobContext) -> Result<Vec<u64>> {
    let kept = step!("keep", { Ok(input) }).await?;
    let child = step!("child", job = number_child(kept)).await?;
    let told = step!("told", event = Number, key = child, required).await?;
    if job.attempt() == 1 {
        return Err(Failure::msg("replayed"));
    }
    Ok(vec![input, kept, child, told.0])
}

each_store!(q36_a_number_beyond_2_to_the_53_comes_out_everywhere_as_it_went_in);
async fn q36_a_number_beyond_2_to_the_53_comes_out_everywhere_as_it_went_in(world: World) {
    let play = async |bench: &Bench, number_in: u64| {
        let handle = number(number_in).enqueue(bench.jobs()).await.unwrap();
        bench.drain().await.unwrap();
        bench
            .jobs()
            .publish(Number(number_in), number_in)
            .await
            .unwrap();
        bench.advance(HOUR).await.unwrap();
        assert_eq!(bench.outcome(&handle).await.unwrap(), [number_in; 4]);
        handle
    };
    for number_in in [LARGE, u64::MAX, 1] {
        let handle = play(&world.bench(), number_in).await;
        let view = world.view(handle.id()).await;
        let digits = number_in.to_string();
        assert_eq!(view.job.spec.input.bytes, digits.as_bytes());
        assert_eq!(
            view.job.spec.key.as_deref(),
            Some(&*format!("case-number:{digits}"))
        );
        let output = view.job.notes.output.clone().unwrap();
        assert!(String::from_utf8(output.bytes).unwrap().contains(&digits));
        // As a tool would write the whole job down.
        let json = serde_json::to_string(&view.job).unwrap();
        assert!(json.contains(&digits), "{json}");
    }
    let sealed = world.twin().await;
    let bench = sealed
        .bench()
        .with_codec(Sealed::new(KeyRing::new(1, [7; 32])));
    play(&bench, LARGE).await;
}
