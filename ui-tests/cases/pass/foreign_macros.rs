//! A step inside the macros of others, each read as it is meant.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::{Failure, Job, Result, job, step};
use std::fmt::Write;

/// As the macros of error libraries have it.
macro_rules! ensure {
    ($truth:expr, $($text:tt)+) => {
        if !$truth {
            return Err(Failure::msg(format!($($text)+)));
        }
    };
}

/// Takes tokens that are no expressions.
macro_rules! pairs {
    ($($name:ident => $value:expr;)*) => { [$((stringify!($name), $value)),*] };
}

async fn work() -> Result<u64> {
    Ok(1)
}

async fn both(left: u64, right: u64) -> Result<u64> {
    Ok(left + right)
}

/// Everywhere a step can be.
#[job(idempotency = none)]
pub async fn everywhere(_input: u64) -> Result<String> {
    for done in futures::future::join_all(vec![step!("vec", work()), step!("vec too", work())]).await {
        done?;
    }
    let mut text = format!("{} {:>width$}", step!("format", work()).await?, 5, width = 3);
    println!("{one}", one = step!("println", work()).await?);
    eprintln!("{}", step!("eprintln", work()).await?);
    let _ = write!(text, "{}", step!("write", work()).await?);
    assert!(step!("assert", work()).await? == 1, "it is {}", step!("assert text", work()).await?);
    assert_eq!(step!("assert_eq", work()).await?, 1);
    debug_assert_ne!(step!("debug_assert_ne", work()).await?, 2);
    ensure!(step!("ensure", work()).await? > 0, "nothing at {}", 5);
    if matches!(step!("matches", work()).await, Ok(1..=5)) {
        text.push('.');
    }
    if !matches!(step!("matches if", work()).await?, n if n > 1) {
        text.push('!');
    }
    tracing::info!(bytes = size_of_val(&step!("tracing", work())), "in the log of {}", 5);
    let json = serde_json::json!({ "one": step!("json", work()).await?, "list": [step!("json list", work()).await?] });
    text.push_str(&json.to_string());
    for (name, value) in pairs!(left => step!("pairs left", work()).await?; right => step!("pairs right", work()).await?;) {
        text.push_str(&format!("{name} {value}"));
    }
    let (a, b) = tokio::join!(biased; step!("join", work()), async { step!("join async", work()).await });
    let (c, d) = tokio::try_join!(step!("try_join", work()), step!("try_join too", work()))?;
    let (e, f) = futures::join!(step!("futures join", work()), step!("futures join too", work()));
    let (g, h) = futures::try_join!(step!("futures try", work()), step!("futures try too", work()))?;
    let first = tokio::select! {
        biased;
        Ok(left) = step!("select", work()), if c > 0 => left,
        right = step!("select too", work()) => { step!("in its handler", move both(right?, 1)).await? }
        else => step!("select else", work()).await?,
    };
    let sum = a? + b? + c + d + e? + f? + g + h + first;
    Ok(format!("{text} {sum}"))
}

fn main() {
    assert_eq!(everywhere::def().steps.len(), 30);
}
