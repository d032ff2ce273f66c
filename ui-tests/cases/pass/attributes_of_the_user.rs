//! Attributes and visibilities of the user's stay, each where it belongs.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
//! # A crate with a job for others

/// Jobs.
pub mod jobs {
    use jobs_runtime::{Result, job, step};

    async fn work(_input: u64) -> Result<u64> {
        Ok(1)
    }

    /// For everybody.
    #[allow(clippy::unused_async)]
    #[job(idempotency = "{id}")]
    pub async fn public(#[allow(unused_mut)] mut id: u64) -> Result<u64> {
        step!("a", work(id)).await?;
        Ok(5)
    }

    /// For the crate.
    #[job(idempotency = none)]
    #[expect(unused_variables, reason = "the input is only stored")]
    pub(crate) async fn restricted(input: u64) -> Result<()> {
        Ok(())
    }

    #[cfg(any())]
    #[job(idempotency = none)]
    async fn absent(input: Nothing) -> Result<()> {
        Ok(())
    }

    /// For nobody, and started by its name alone.
    #[job(idempotency = none)]
    async fn private(_: ()) -> Result<()> {
        Ok(())
    }
}

fn main() {
    let _public = jobs::public(1);
    let _restricted = jobs::restricted(1);
    assert_eq!(::jobs_runtime::private::JOBS_V0.len(), 3);
}
