//! Jobs, parameters and steps under `#[cfg]`: what is not compiled is not listed either.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::{Job, JobContext, Result, State, job, step, steps};

/// Sends mail.
pub struct Mailer;

async fn work() -> Result<u64> {
    Ok(1)
}

/// Is not there.
#[cfg(any())]
#[job(idempotency = none)]
pub async fn switched(_input: Nothing) -> Result<()> {
    Ok(())
}

/// Is there, under the same name.
#[cfg(all())]
#[job(idempotency = none)]
pub async fn switched(
    _input: u64,
    #[cfg(any())] nobody: State<Nothing>,
    #[cfg(all())] _mailer: State<Mailer>,
    #[cfg_attr(all(), allow(unused_variables))] job: JobContext,
) -> Result<u64> {
    #[cfg(any())]
    step!("absent", nothing()).await?;
    #[cfg(all())]
    step!("present", work()).await?;
    #[cfg(any())]
    let one = step!("one", work()).await?;
    #[cfg(not(any()))]
    let one = step!("one", work()).await?;
    #[cfg(any())]
    {
        step!("absent in a block", nothing()).await?;
    }
    let two = match one {
        #[cfg(any())]
        1 => step!("absent in an arm", nothing()).await?,
        _ => step!("present in an arm", work()).await?,
    };
    #[cfg(any())]
    step!("absent helper", steps = absent()).await?;
    if cfg!(any()) {
        step!("compiled", work()).await?;
    }
    Ok(one + two)
}

/// A helper that is not there.
#[cfg(any())]
#[steps]
async fn absent() -> Result<()> {
    Ok(())
}

/// A helper that holds a step that is not there.
#[steps]
pub async fn half(#[cfg(any())] nobody: Nothing, _one: u64) -> Result<()> {
    #[cfg(any())]
    step!("absent", nothing()).await?;
    step!("present", work()).await?;
    Ok(())
}

/// Calls it.
#[job(idempotency = none)]
pub async fn halved(input: u64) -> Result<()> {
    step!("half", steps = half(input)).await
}

fn main() {
    let names: Vec<&str> = switched::def().steps.iter().map(|step| step.name).collect();
    assert_eq!(names, ["present", "one", "present in an arm", "compiled"]);
    assert_eq!(switched::def().needs.len(), 2);
    assert_eq!(halved::def().all_steps().len(), 1);
    let _request = switched(1);
}
