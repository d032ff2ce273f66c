//! Jobs that a macro of the user's writes, with fragments where the options are.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::{Event, Job, Result, job, step, steps};

async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

macro_rules! make {
    ($(#[$meta:meta])* $vis:vis $name:ident($input:ident: $ty:ty) by $key:literal in $queue:expr, $attempts:literal, {$($body:tt)*}) => {
        $(#[$meta])*
        #[job(idempotency = $key, queue = $queue, attempts = $attempts, timeout = "10m")]
        $vis async fn $name($input: $ty) -> Result<$ty> {
            $($body)*
        }
    };
}

macro_rules! with_steps {
    ($name:ident, $first:literal, $call:expr, $event:ident, $key:ty) => {
        #[derive(serde::Serialize, serde::Deserialize, Event)]
        #[event(key = $key)]
        struct $event;

        #[steps]
        async fn helped() -> Result<u64> {
            step!("help", work(2)).await.map_err(Into::into)
        }

        #[job(idempotency = none)]
        async fn $name(_input: u64) -> Result<u64> {
            let one = step!($first, $call).await?;
            step!("paid", event = $event, key = one).await?;
            step!("helped", steps = helped()).await
        }
    };
}

make! {
    /// Made.
    pub made(n: u64) by "made:{n}" in "mail", 3, {
        Ok(step!("one:{n}", work(n)).await?)
    }
}

make!(made_too(input: u64) by "made-too:{input}" in "mail", 3, { Ok(input) });

with_steps!(made_with_steps, "first", work(1), Happened, u64);

fn main() {
    assert_eq!(made::def().options.queue, "mail");
    assert_eq!(made::key(&5).as_deref(), Some("made:5"));
    assert_eq!(made_with_steps::def().steps.len(), 3);
    let _ = (made(1), made_too(2), made_with_steps(3));
}
