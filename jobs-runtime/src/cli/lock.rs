//! `jobs lock`.

use super::args::LockArgs;
use super::out::{BAD, DIM, GOOD, Out, inert};
use super::{FOUND, OK};
use crate::Error;
use crate::error::codes::{X_JOB_UNKNOWN, X_LOCK_INVALID};
use crate::lock::{Finding, Lock, MAX_LOCK_BYTES, Report, Risk, compare};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

pub(super) fn run(args: &LockArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let is = of_program()?;
    match args.check {
        true => check(args, &is, out),
        false => write(args, &is, out),
    }
}

/// What the program looks like, which must have jobs.
pub(super) fn of_program() -> Result<Lock, Error> {
    let lock = Lock::of_program()?;
    match lock.jobs.is_empty() && lock.events.is_empty() {
        true => Err(no_jobs()),
        false => Ok(lock),
    }
}

pub(super) fn of_file(file: &Path) -> Result<Lock, Error> {
    let text = read(file)?.ok_or_else(|| missing(file))?;
    Lock::read(&text)
}

fn check(args: &LockArgs, is: &Lock, out: &mut Out<'_>) -> Result<u8, Error> {
    let text = read(&args.file)?.ok_or_else(|| missing(&args.file))?;
    let report = compare(&Lock::read(&text)?, is);
    let is_behind = text != is.to_toml();
    tell(&args.file, &report, is_behind, Written::No, out);
    Ok(match report.is_risky() || (args.strict && is_behind) {
        true => FOUND,
        false => OK,
    })
}

fn write(args: &LockArgs, is: &Lock, out: &mut Out<'_>) -> Result<u8, Error> {
    let text = is.to_toml();
    let before = read(&args.file)?;
    let report = match &before {
        Some(before) => compare(&Lock::read(before)?, is),
        None => Report::default(),
    };
    if report.is_risky() && !args.accept {
        tell(&args.file, &report, true, Written::Refused, out);
        return Ok(FOUND);
    }
    let is_behind = before.as_ref() != Some(&text);
    if is_behind {
        fs::write(&args.file, text).map_err(|why| unwritten(&args.file, &why))?;
    }
    tell(&args.file, &report, is_behind, Written::Yes, out);
    Ok(OK)
}

/// `None` if there is no such file.
fn read(file: &Path) -> Result<Option<String>, Error> {
    let limit = MAX_LOCK_BYTES as u64 + 1;
    let mut text = String::new();
    let read = if file == Path::new("-") {
        io::stdin().take(limit).read_to_string(&mut text)
    } else {
        match fs::File::open(file) {
            Ok(opened) => opened.take(limit).read_to_string(&mut text),
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(why) => Err(why),
        }
    };
    read.map_err(|why| unreadable(file, &why))?;
    Ok(Some(text))
}

enum Written {
    No,
    Refused,
    Yes,
}

fn tell(file: &Path, report: &Report, is_behind: bool, written: Written, out: &mut Out<'_>) {
    let risky = report.risky().count();
    let safe = report.findings.len() - risky;
    if out.json {
        let findings: Vec<Value> = report.findings.iter().map(as_value).collect();
        return out.value(&json!({
            "file": file.to_string_lossy(), "risky": risky, "safe": safe, "behind": is_behind,
            "written": matches!(written, Written::Yes) && is_behind, "findings": findings,
        }));
    }
    let (first, last): (Vec<&Finding>, Vec<&Finding>) = report
        .findings
        .iter()
        .partition(|finding| finding.risk == Risk::Risky);
    for finding in first.into_iter().chain(last) {
        line(finding, out);
    }
    let file = inert(&file.to_string_lossy());
    let counts = format!("{risky} risky, {safe} safe");
    out.line(match (written, is_behind) {
        (Written::Refused, _) => format!(
            "{file} stays as it was ({counts}): mend the risky changes, or take them with `--accept` if `jobs preflight` finds no run that they hit"
        ),
        (Written::Yes, true) => format!("{file} is written ({counts}): commit it"),
        (Written::No, true) if risky == 0 => {
            format!("{file} is behind ({counts}): write it with `jobs lock`, and commit it")
        }
        (Written::No, true) => format!("{file} does not fit ({counts})"),
        (_, false) => format!("{file} is up to date"),
    });
}

fn line(finding: &Finding, out: &mut Out<'_>) {
    let (style, word) = match finding.risk {
        Risk::Risky => (BAD, "risky"),
        Risk::Safe => (GOOD, "safe "),
    };
    out.line(format_args!(
        "{style}{word}{style:#}  {}",
        inert(&finding.message)
    ));
    if let Some(place) = finding
        .place
        .as_ref()
        .filter(|_| finding.risk == Risk::Risky)
    {
        let place = inert(&place.to_string());
        out.line(format_args!("       {DIM}at {place}{DIM:#}"));
    }
    if !finding.remedy.is_empty() {
        out.line(format_args!("       help: {}", inert(&finding.remedy)));
    }
}

fn as_value(finding: &Finding) -> Value {
    json!({
        "risk": match finding.risk { Risk::Risky => "risky", Risk::Safe => "safe" },
        "change": finding.change,
        "subject": finding.subject,
        "message": finding.message,
        "remedy": Some(&finding.remedy).filter(|remedy| !remedy.is_empty()),
        "file": finding.place.as_ref().map(|place| &place.file),
        "line": finding.place.as_ref().map(|place| place.line),
    })
}

fn no_jobs() -> Error {
    Error::new(
        &X_JOB_UNKNOWN,
        "no job is linked into this program, so there is nothing to write down or compare",
        "call it on the program that has the jobs: put `jobs_runtime::cli::run_if_asked().await;` first in its `main`, and run it with `jobs lock`; jobs of a library that nothing names are linked by `jobs_runtime::link!`",
    )
}

fn missing(file: &Path) -> Error {
    Error::new(
        &X_LOCK_INVALID,
        format!("there is no lock file {}", file.display()),
        "write it with `jobs lock`, and commit it",
    )
}

fn unreadable(file: &Path, why: &io::Error) -> Error {
    Error::new(
        &X_LOCK_INVALID,
        format!("the lock file {} cannot be read: {why}", file.display()),
        "name a lock file that is there and can be read: `--file PATH`",
    )
}

fn unwritten(file: &Path, why: &io::Error) -> Error {
    Error::new(
        &X_LOCK_INVALID,
        format!("the lock file {} cannot be written: {why}", file.display()),
        "name a file in a folder that is there and can be written to: `--file PATH`",
    )
}
