//! `jobs preflight`.

use super::args::PreflightArgs;
use super::out::{BAD, DIM, Out, Ticker, inert};
use super::{FOUND, OK, lock, store};
use crate::Error;
use crate::lock::{Preflight, Trouble, preflight};
use serde_json::{Value, json};

pub(super) async fn run(args: &PreflightArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let lock = match &args.lock {
        Some(file) => lock::of_file(file)?,
        None => lock::of_program()?,
    };
    let jobs = store::connect(&args.store).await?;
    let mut ticker = Ticker::new(out.json);
    let found = preflight(&lock, &jobs, |looked_at| {
        ticker.show(format_args!("{looked_at} open runs looked at"));
    })
    .await;
    ticker.clear();
    jobs.close().await;
    let found = found?;
    tell(&found, out);
    Ok(match found.troubles.is_empty() {
        true => OK,
        false => FOUND,
    })
}

fn tell(found: &Preflight, out: &mut Out<'_>) {
    if out.json {
        let troubles: Vec<Value> = found.troubles.iter().map(as_value).collect();
        return out.value(&json!({
            "looked_at": found.looked_at, "troubles": troubles, "not_listed": found.not_listed,
        }));
    }
    for trouble in &found.troubles {
        let (id, state) = (trouble.id, trouble.state);
        let key = trouble.key.as_deref().map(inert).unwrap_or_default();
        out.line(format_args!(
            "{BAD}{id}{BAD:#}  {state} {DIM}{key}{DIM:#}\n       {}\n       help: {}",
            inert(&trouble.message()),
            inert(&trouble.remedy())
        ));
    }
    let (looked_at, listed) = (found.looked_at, found.troubles.len());
    match (listed, found.not_listed) {
        (0, _) => out.line(format_args!("{looked_at} open runs, all fit this program")),
        (_, 0) => out.line(format_args!("{looked_at} open runs, {listed} troubles")),
        (_, more) => out.line(format_args!(
            "{looked_at} open runs, {listed} troubles listed, and {more} more"
        )),
    }
}

fn as_value(trouble: &Trouble) -> Value {
    json!({
        "id": trouble.id.to_string(),
        "name": trouble.name,
        "key": trouble.key,
        "state": trouble.state.as_str(),
        "message": trouble.message(),
        "remedy": trouble.remedy(),
    })
}
