//! `jobs doctor`.

use super::args::DoctorArgs;
use super::out::{BAD, DIM, GOOD, Out, inert};
use super::{FOUND, OK, store};
use crate::Error;
use crate::doctor::{Gravity, Report, examine};
use serde_json::json;

pub(super) async fn run(args: &DoctorArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let report = examine(&store::url(&args.store)?).await?;
    tell(&report, out);
    Ok(match report.is_healthy() {
        true => OK,
        false => FOUND,
    })
}

fn tell(report: &Report, out: &mut Out<'_>) {
    if out.json {
        return out.value(&json!({
            "healthy": report.is_healthy(),
            "driver": report.driver,
            "facts": report.facts,
            "findings": report.findings,
        }));
    }
    out.line(format_args!("{} store", inert(&report.driver)));
    for fact in &report.facts {
        let (name, value) = (inert(&fact.name), inert(&fact.value));
        out.line(format_args!("  {DIM}{name}: {value}{DIM:#}"));
    }
    for finding in &report.findings {
        let word = match finding.gravity {
            Gravity::Damage => "damage",
            Gravity::Warning => "warning",
        };
        out.line(format_args!(
            "{BAD}{word}{BAD:#} {}: {}\n       help: {}",
            inert(&finding.name),
            inert(&finding.what),
            inert(&finding.remedy)
        ));
    }
    if report.is_healthy() {
        out.line(format_args!("{GOOD}nothing is wrong{GOOD:#}"));
    }
}
