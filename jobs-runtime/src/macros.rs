//! `step!`. Which step is meant, its name and its options are decided by `#[job]`, which puts a
//! prefix before the user's expression; here the marked call becomes the future. A call without
//! the prefix stands where no run can record it.

/// One step of a job: done once, stored, and given back from the store ever after.
///
/// ```
/// use jobs_runtime::{Result, job, step};
///
/// #[job(idempotency = "signup:{user_id}")]
/// async fn welcome_new_user(user_id: u64) -> Result<()> {
///     let account = step!("create-account", create_account(user_id)).await?;
///     step!("send-welcome", attempts = 3, timeout = "30s", send_welcome(&account)).await?;
///     step!("cool-off", sleep = "3d").await;
///     Ok(())
/// }
/// # async fn create_account(user_id: u64) -> Result<String> { Ok(user_id.to_string()) }
/// # async fn send_welcome(account: &str) -> Result<()> { Ok(()) }
/// ```
///
/// | form | gives |
/// |---|---|
/// | `step!("name", FUTURE)`, `step!("name", move FUTURE)`, `step!("name", { .. Ok(x) })` | what the future gives, stored |
/// | `step!("name", sleep = "3d")`, `step!("name", sleep_until = at)` | `()`, when the time has come |
/// | `step!("name", event = Paid, key = id, timeout = "14d")` | the event, or `None` after the timeout; with `required` that is an error, and with `since = step` only events published from here on count |
/// | `step!("name", job = ship(parcel))` | the output of the child job, when it has ended |
/// | `step!("name", job = ship(parcel), detached)` | the child's [`Handle`](crate::Handle), when it is stored |
/// | `step!("name", steps = helper(..))` | what a function under [`steps`](macro@crate::steps) gives |
///
/// A step that runs a body takes these options, between the name and the future:
///
/// | option | says |
/// |---|---|
/// | `attempts = 3`, `backoff = "1s..1m"` | how often the body is tried within one attempt of the job, and the pause between two tries |
/// | `timeout = "30s"` | how long one try may take; the job's `step_timeout` without it |
/// | `effect = at_most_once` | the body never runs twice: if its worker dies in it, the step fails with an error whose [`StepError::is_interrupted`](crate::StepError::is_interrupted) is true |
/// | `was = ["old-name"]` | former names; a result recorded under one of them is this step's |
///
/// Every other form takes `was` as well.
///
/// `step!("debit", tx = |tx: &mut SqliteTx| debit(tx, &input))` gives the body a transaction on the
/// file that holds the jobs, and stores what it writes together with the step's record: see
/// `SqliteTx`, with the feature `sqlx-sqlite`.
///
/// A step is a future: it is awaited, joined and selected as any other, and nothing of it is
/// evaluated on a replay.
#[macro_export]
macro_rules! step {
    (@run $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] $body:expr) => {
        $crate::private::step($cx, $($name)+, $($options)+, || $crate::private::boxed(async {
            $crate::private::future($body).await
        })).tied($($tag)+)
    };
    (@run_block $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] $($body:tt)+) => {
        $crate::private::step($cx, $($name)+, $($options)+, || $crate::private::boxed(async {
            // The type says what `?` turns errors into, so that nobody has to.
            #[allow(unused_braces)]
            let done: $crate::private::Done<_> = $($body)+;
            #[allow(unreachable_code)]
            return done;
        })).tied($($tag)+)
    };
    (@once $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] $body:expr) => {
        $crate::private::step_once($cx, $($name)+, $($options)+, async move {
            $crate::private::future($body).await
        }).tied($($tag)+)
    };
    (@once_block $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] $($body:tt)+) => {
        $crate::private::step_once($cx, $($name)+, $($options)+, async move {
            #[allow(unused_braces)]
            let done: $crate::private::Done<_> = $($body)+;
            #[allow(unreachable_code)]
            return done;
        }).tied($($tag)+)
    };
    (@tx $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] [$tx:pat] [$ty:ty] $body:expr) => {
        $crate::private::step_tx($cx, $($name)+, $($options)+, || async {
            let mut begun = $crate::private::begin_tx($cx, $crate::private::tx_kind::<$ty>()).await?;
            let limit = begun.limit();
            let result = $crate::private::write_tx($cx, limit, async {
                let $tx: &mut $ty = begun.tx();
                $crate::private::future($body).await
            });
            let result = result.await;
            begun.end($cx, result).await
        }).tied($($tag)+)
    };
    (@tx_block $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] [$tx:pat] [$ty:ty] $($body:tt)+) => {
        $crate::private::step_tx($cx, $($name)+, $($options)+, || async {
            let mut begun = $crate::private::begin_tx($cx, $crate::private::tx_kind::<$ty>()).await?;
            let limit = begun.limit();
            let result = $crate::private::write_tx($cx, limit, async {
                let $tx: &mut $ty = begun.tx();
                let written = async {
                    #[allow(unused_braces)]
                    let done: $crate::private::Done<_> = $($body)+;
                    #[allow(unreachable_code)]
                    return done;
                };
                written.await
            });
            let result = result.await;
            begun.end($cx, result).await
        }).tied($($tag)+)
    };
    (@sleep $cx:ident [$($name:tt)+] $span:expr) => {
        $crate::private::sleep($cx, $($name)+, $span)
    };
    (@sleep_until $cx:ident [$($name:tt)+] $at:expr) => {
        $crate::private::sleep_until($cx, $($name)+, $at)
    };
    (@wait $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] [$($key:tt)+] $event:ty) => {
        $crate::private::wait::<$event>($cx, $($name)+, $($key)+, $($options)+).tied($($tag)+)
    };
    (@wait_required $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] [$($key:tt)+] $event:ty) => {
        $crate::private::wait_required::<$event>($cx, $($name)+, $($key)+, $($options)+).tied($($tag)+)
    };
    (@child $cx:ident [$($name:tt)+] [$($tag:tt)+] $request:expr) => {
        $crate::private::child($cx, $($name)+, || $request).tied($($tag)+)
    };
    (@child_once $cx:ident [$($name:tt)+] [$($tag:tt)+] $request:expr) => {
        $crate::private::child_once($cx, $($name)+, move || $request).tied($($tag)+)
    };
    (@detached $cx:ident [$($name:tt)+] $request:expr) => {
        $crate::private::detached($cx, $($name)+, || $request)
    };
    (@detached_once $cx:ident [$($name:tt)+] $request:expr) => {
        $crate::private::detached_once($cx, $($name)+, move || $request)
    };
    (@steps $cx:ident [$($name:tt)+] [$($helper:tt)+] $($arguments:tt)*) => {
        $crate::private::helper::<$($helper)+>($cx, $($name)+).__call($($arguments)*)
    };
    // A call that borrows from variables alone: no `async` block need keep anything alive for it.
    (@call $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] $body:expr) => {
        $crate::private::step($cx, $($name)+, $($options)+, || $crate::private::boxed($body)).tied($($tag)+)
    };
    // The call stays one of `step!`, so that its import counts as used.
    (@refused $($error:tt)+) => { $($error)+ };
    // A form that is marked and still does not fit: rustc could not read the expression.
    (@$form:ident $cx:ident [$($name:tt)+] [$($tag:tt)+] [$($options:tt)+] $($body:tt)*) => {
        $crate::private::step($cx, $($name)+, $($options)+, || $crate::private::boxed(async { ($($body)*).await })).tied($($tag)+)
    };
    ($($outside:tt)*) => {
        ::core::compile_error!(
            "this `step!` is outside the body of a `#[job]`, where no run can record it; move it into the job, or mark this function with `#[steps]` and call it in the job by `step!(\"name\", steps = ..)` (a step that another macro writes, or under another name, is not seen either)"
        )
    };
}

/// Links a crate whose jobs this program shall run.
///
/// A library that nothing names is left out by the linker, and its jobs with it. One line in the
/// program brings them in:
///
/// ```
/// # mod shop { pub mod mail_jobs {} }
/// # mod program {
/// # use crate::shop;
/// jobs_runtime::link!(shop::mail_jobs);
/// # }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! link {
    ($($krate:path),+ $(,)?) => {
        $(
            #[allow(unused_imports, clippy::single_component_path_imports)]
            use $krate as _;
        )+
    };
}
