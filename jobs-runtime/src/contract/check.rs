//! What is refused before anything is stored: the same on every driver.
//!
//! The limits of a payload are the driver's own ([`Capabilities::payload_limit`]); those of names
//! and keys are here, because a store that took more would lose a job that moves to another.

use super::{Capabilities, Claim, SettingWrite};
use crate::Error;
use crate::core::{MAX_KEY_BYTES, NewEvent, NewJob};
use std::collections::BTreeMap;

/// The longest name of a job, queue, scope, event, tenant, worker, schedule or step, and the longest
/// trace context, in bytes.
pub const MAX_NAME_BYTES: usize = 1024;

/// Labels of one job.
pub const LABEL_LIMIT: usize = 32;

/// The longest name or value of a label, in bytes.
pub const LABEL_LIMIT_BYTES: usize = 256;

/// Says whether a driver may store this job.
///
/// # Errors
/// `X_NAME_INVALID`, `X_IDEMPOTENCY_REQUIRED` or `X_PAYLOAD_TOO_LARGE`.
pub fn check_job(job: &NewJob, capabilities: &Capabilities) -> Result<(), Error> {
    let spec = &job.spec;
    check_name("the name of a job", &spec.name)?;
    check_name("the scope of a key", &spec.scope)?;
    check_name("the name of a queue", &spec.queue)?;
    check_tenant(spec.tenant.as_deref())?;
    if let Some(key) = &spec.key {
        if key.is_empty() {
            return Err(Error::idempotency_required(&spec.name));
        }
        check_length("an idempotency key", key, MAX_KEY_BYTES)?;
    }
    check_references(job)?;
    check_labels(&spec.labels)?;
    check_payload(
        format_args!("the input of job \"{}\"", spec.name),
        spec.input.bytes.len(),
        capabilities,
    )
}

/// The texts by which a job refers to something else.
fn check_references(job: &NewJob) -> Result<(), Error> {
    let spec = &job.spec;
    for (what, text) in [
        ("the key of a limit", &spec.limit_key),
        ("the key of a rate", &spec.rate_key),
    ] {
        let text = text.as_deref().unwrap_or_default();
        check_length(what, text, MAX_KEY_BYTES)?;
    }
    check_trace(spec.trace_context.as_deref())?;
    if let Some(tick) = &spec.tick {
        check_name("the name of a schedule", &tick.schedule)?;
    }
    if let Some(parent) = &spec.parent {
        check_name("the name of a step", &parent.step)?;
    }
    if let Some(clean_up) = &spec.on_cancel {
        check_name("the name of a job that cleans up", &clean_up.name)?;
        check_name("the scope of a job that cleans up", &clean_up.scope)?;
        check_name("the queue of a job that cleans up", &clean_up.queue)?;
    }
    for record in &job.prefix {
        check_name("the name of a step", &record.name)?;
    }
    Ok(())
}

/// Says whether a driver may store this event.
///
/// # Errors
/// `X_NAME_INVALID` or `X_PAYLOAD_TOO_LARGE`.
pub fn check_event(event: &NewEvent, capabilities: &Capabilities) -> Result<(), Error> {
    check_name("the name of an event", &event.name)?;
    check_tenant(event.tenant.as_deref())?;
    if let Some(key) = &event.key {
        check_length("a correlation key", key, MAX_KEY_BYTES)?;
    }
    check_trace(event.trace_context.as_deref())?;
    check_payload(
        format_args!("the payload of event \"{}\"", event.name),
        event.payload.bytes.len(),
        capabilities,
    )
}

/// Says whether a driver may store this setting. Its jobs are looked at when they are stored.
///
/// # Errors
/// `X_NAME_INVALID` or `X_PAYLOAD_TOO_LARGE`.
pub fn check_setting(write: &SettingWrite, capabilities: &Capabilities) -> Result<(), Error> {
    if write.key.is_empty() {
        return Err(Error::name_invalid(
            "the key of a setting may not be empty",
            "give it a text of at least one character",
        ));
    }
    check_length("the key of a setting", &write.key, MAX_KEY_BYTES)?;
    let bytes = write.value.as_ref().map_or(0, Vec::len);
    check_payload("the value of a setting", bytes, capabilities)
}

/// Says whether a driver may give out leases for this request.
///
/// # Errors
/// `X_NAME_INVALID`.
pub fn check_claim(claim: &Claim) -> Result<(), Error> {
    check_length("the name of a worker", &claim.worker, MAX_NAME_BYTES)
}

fn check_trace(context: Option<&str>) -> Result<(), Error> {
    let context = context.unwrap_or_default();
    check_length("a trace context", context, MAX_NAME_BYTES)
}

fn check_labels(labels: &BTreeMap<String, String>) -> Result<(), Error> {
    if labels.len() > LABEL_LIMIT {
        return Err(Error::name_invalid(
            format_args!(
                "a job has {} labels, and at most {LABEL_LIMIT} are allowed",
                labels.len()
            ),
            "keep those that somebody looks for",
        ));
    }
    for text in labels.iter().flat_map(|(name, value)| [name, value]) {
        check_length("a label", text, LABEL_LIMIT_BYTES)?;
    }
    Ok(())
}

fn check_tenant(tenant: Option<&str>) -> Result<(), Error> {
    tenant.map_or(Ok(()), |tenant| check_name("the name of a tenant", tenant))
}

fn check_name(what: &str, name: &str) -> Result<(), Error> {
    if name.is_empty() {
        return Err(Error::name_invalid(
            format_args!("{what} may not be empty"),
            "give it a text of at least one character",
        ));
    }
    check_length(what, name, MAX_NAME_BYTES)
}

fn check_length(what: &str, text: &str, limit: usize) -> Result<(), Error> {
    if text.len() <= limit {
        return Ok(());
    }
    Err(Error::name_invalid(
        format_args!(
            "{what} has {} bytes, and at most {limit} are allowed",
            text.len()
        ),
        "make it from ids instead of from whole values",
    ))
}

fn check_payload(
    what: impl std::fmt::Display,
    bytes: usize,
    capabilities: &Capabilities,
) -> Result<(), Error> {
    if bytes <= capabilities.payload_limit {
        return Ok(());
    }
    Err(Error::payload_too_large(
        what,
        bytes,
        capabilities.payload_limit,
    ))
}
