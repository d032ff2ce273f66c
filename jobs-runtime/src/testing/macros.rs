//! The assertions about what a test's code did. What they say when they fail is made in `enqueued`
//! and `published`.

/// Asserts that a job of this name was enqueued; with a closure, one whose input it holds for. It
/// does not matter what became of the job since.
///
/// ```
/// use jobs_runtime::prelude::*;
/// use jobs_runtime::testing::Bench;
/// use jobs_runtime::{assert_enqueued, refute_enqueued};
///
/// #[derive(Serialize, Deserialize)]
/// struct Signup { user_id: u64 }
///
/// #[job(idempotency = "assert-example:{input.user_id}")]
/// async fn greet_signup(input: Signup) -> Result<()> {
///     step!("send", async { Ok::<_, Failure>(()) }).await?;
///     Ok(())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let bench = Bench::new();
/// greet_signup(Signup { user_id: 7 }).enqueue(bench.jobs()).await?;
///
/// assert_enqueued!(bench, greet_signup);
/// assert_enqueued!(bench, greet_signup, |input| input.user_id == 7);
/// refute_enqueued!(bench, greet_signup, |input| input.user_id == 8);
/// # Ok(()) }
/// ```
///
/// # Panics
/// If there is none, listing those there are. It is used in an `async fn`: it reads the store.
#[macro_export]
macro_rules! assert_enqueued {
    ($bench:expr, $job:ty $(,)?) => {{
        if let Some(why) = $bench.why_not_enqueued::<$job>(|_| true, "").await {
            ::std::panic!("{why}");
        }
    }};
    ($bench:expr, $job:ty, $condition:expr $(,)?) => {{
        let condition = ::std::concat!(" for which this holds: ", ::std::stringify!($condition));
        if let Some(why) = $bench.why_not_enqueued::<$job>($condition, condition).await {
            ::std::panic!("{why}");
        }
    }};
}

/// Asserts that no job of this name was enqueued; with a closure, none whose input it holds for.
/// The opposite of [`assert_enqueued!`].
///
/// # Panics
/// If there is one, listing those there are.
#[macro_export]
macro_rules! refute_enqueued {
    ($bench:expr, $job:ty $(,)?) => {{
        if let Some(why) = $bench.why_enqueued::<$job>(|_| true, "").await {
            ::std::panic!("{why}");
        }
    }};
    ($bench:expr, $job:ty, $condition:expr $(,)?) => {{
        let condition = ::std::concat!(" for which this holds: ", ::std::stringify!($condition));
        if let Some(why) = $bench.why_enqueued::<$job>($condition, condition).await {
            ::std::panic!("{why}");
        }
    }};
}

/// Asserts that an event of this type was published; with a closure, one it holds for.
///
/// ```
/// use jobs_runtime::assert_published;
/// use jobs_runtime::prelude::*;
/// use jobs_runtime::testing::Bench;
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "assert-published-example", key = u64)]
/// struct Shipped { parcels: u8 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let bench = Bench::new();
/// bench.jobs().publish(Shipped { parcels: 2 }, 7).await?;
/// assert_published!(bench, Shipped, |event| event.parcels == 2);
/// # Ok(()) }
/// ```
///
/// # Panics
/// If there is none, listing those there are.
#[macro_export]
macro_rules! assert_published {
    ($bench:expr, $event:ty $(,)?) => {{
        if let Some(why) = $bench.why_not_published::<$event>(|_| true, "").await {
            ::std::panic!("{why}");
        }
    }};
    ($bench:expr, $event:ty, $condition:expr $(,)?) => {{
        let condition = ::std::concat!(" for which this holds: ", ::std::stringify!($condition));
        if let Some(why) = $bench
            .why_not_published::<$event>($condition, condition)
            .await
        {
            ::std::panic!("{why}");
        }
    }};
}
