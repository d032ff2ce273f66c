//! Names that are keywords.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::{Event, Job, Result, job, step};

#[derive(serde::Serialize, serde::Deserialize)]
struct Match {
    r#type: u64,
}

#[derive(serde::Serialize, serde::Deserialize, Event)]
#[event(key = u64)]
#[allow(non_camel_case_types)]
struct r#move;

async fn work(r#in: u64) -> Result<u64> {
    Ok(r#in)
}

#[job(idempotency = "{match.type}")]
async fn r#try(r#match: Match) -> Result<()> {
    let r#loop = step!("a:{match.type}", work(r#match.r#type)).await?;
    step!("b:{r#loop}", work(r#loop)).await?;
    step!("c", event = r#move, key = r#loop).await?;
    Ok(())
}

fn main() {
    assert_eq!(r#try::def().name, "try");
    assert_eq!(<r#move as Event>::NAME, "move");
    assert_eq!(r#try::key(&Match { r#type: 5 }).as_deref(), Some("5"));
}
