//! What a body may be made of beside its steps.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use futures::future::join_all;
use jobs_runtime::{Failure, Job, Result, job, step};
use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;

async fn work() -> Result<u64> {
    Ok(1)
}

async fn shout(text: impl Display) -> Result<String> {
    Ok(text.to_string().to_uppercase())
}

/// Holds all of it.
#[job(idempotency = "bodies:{input.0}")]
pub async fn bodies(input: (u64, Option<String>)) -> Result<u64> {
    const LIMIT: u64 = 5;
    fn most<T: Ord + Copy>(list: &[T]) -> Option<T> {
        list.iter().max().copied()
    }
    async fn later<T>(value: T) -> Result<T> {
        Ok(value)
    }
    struct Guard<'a>(&'a str);
    impl Guard<'_> {
        async fn read(&self) -> Result<usize> {
            Ok(self.0.len())
        }
    }
    let (count, Some(text)) = &input else {
        return Ok(0);
    };
    let Ok(one) = step!("let-else", work()).await else {
        return Err(Failure::msg("no step"));
    };
    let guard = Guard(text);
    let length = step!("borrowed", guard.read()).await?;
    let shown: Box<dyn Display + Send + Sync> = Box::new(text.clone());
    step!("shown", shout(&*shown)).await?;
    let each = |n: u64| async move { step!("closure:{n}", later(n)).await };
    let asynchronous = async |n: u64| step!("async closure:{n}", later(n)).await;
    let total: u64 = each(1).await? + asynchronous(2).await?;
    let parse = |text: &str| -> Result<u64> { Ok(text.parse::<u64>()?) };
    let parsed = parse("5").or_else(|_| Ok::<_, Failure>(7))?;
    let evens = (0..LIMIT).filter(|n| n % 2 == 0);
    let found = 'outer: {
        for n in evens {
            if n > *count {
                break 'outer Some(n);
            }
        }
        None
    };
    let mut passes = 0;
    let last = 'again: loop {
        passes += 1;
        let n = step!("pass:{passes}", later(passes)).await?;
        'inner: while passes < 10 {
            if step!("inner:{passes}", later(n)).await? > 2 {
                break 'again n;
            }
            continue 'again;
            #[allow(unreachable_code)]
            {
                break 'inner;
            }
        }
    };
    let boxed: Pin<Box<dyn Future<Output = _> + Send + '_>> = Box::pin(step!("boxed", later(total)));
    let unboxed = boxed.await?;
    let results = join_all((0..3).map(|n| step!("mapped:{n}", move later(n)))).await;
    let sum = results.into_iter().sum::<std::result::Result<u64, _>>()?;
    let named = match step!("matched", later(Some(3))).await? {
        Some(n @ 1..=5) if n < LIMIT => n,
        Some(_) | None => 0,
    };
    let nested = step!("nested", async {
        let inner = async { later(1).await };
        let more = || async { Ok::<_, Failure>(inner.await? + 1) };
        more().await
    })
    .await?;
    let unsized_tail = if let Some(n) = found && n > 1 { n } else { 1 };
    step!("block with return", {
        if length > 100 {
            return Ok(());
        }
        for _ in 0..3 {
            if length > 3 {
                break;
            }
        }
        let _: u64 = "5".parse()?;
        Ok(())
    })
    .await?;
    step!("only a return", { return Ok(()); }).await?;
    step!("only an error", { Err::<(), _>(Failure::msg("no")) }).await.ok();
    let owned = vec![1u64, 2];
    step!("async move", async move { later(owned).await }).await?;
    Ok(most(&[one, total, parsed, last, unboxed, sum, named, nested, unsized_tail]).unwrap_or_default())
}

fn main() {
    assert!(bodies::def().steps.len() > 10);
}
