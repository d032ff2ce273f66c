//! `explain`: why a job does not run just now. What holds it back is found by `admin`.

use super::args::JobArgs;
use super::out::{Out, inert};
use super::{OK, store};
use crate::Error;
use serde_json::json;

pub(super) async fn run(args: &JobArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let id = store::id(&args.id)?;
    let jobs = store::connect(&args.store).await?;
    let told = jobs.admin().explain(id).await;
    jobs.close().await;
    let told = told?;
    if out.json {
        let reasons = told.reasons.iter().map(ToString::to_string);
        let limits = told.limits.iter().map(|it| {
            json!({
                "group": it.group.to_string(), "live": it.live,
                "concurrency": it.limit.concurrency,
                "rate": it.limit.rate.map(|rate| rate.to_string()),
            })
        });
        out.value(&json!({
            "id": id.to_string(), "name": told.name, "state": told.view.as_str(),
            "reasons": reasons.collect::<Vec<_>>(), "limits": limits.collect::<Vec<_>>(),
        }));
        return Ok(OK);
    }
    for line in told.to_string().lines() {
        out.line(format_args!("{}", inert(line)));
    }
    Ok(OK)
}
