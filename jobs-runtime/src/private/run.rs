//! From stored input to stored output: what stands around the body of a job.

use crate::definition::Job;
use crate::durable::{Durable, IntoFailure, JobReturn};
use crate::failure::Failure;
use crate::steps::JobCx;
use std::future::{Future, ready};
use std::pin::Pin;

/// What `JobDef::run` gives; an alias, so that each expansion is shorter by it.
pub type RunFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, Failure>> + Send + 'a>>;

/// Decodes the input, starts the body by `start`, encodes what it returns.
pub fn run<'a, J, F, R>(
    cx: JobCx<'a>,
    input: &'a [u8],
    start: impl FnOnce(JobCx<'a>, J::Input) -> Result<F, Failure>,
) -> RunFuture<'a>
where
    J: Job,
    F: Future<Output = R> + Send + 'a,
    R: JobReturn<Ok = J::Output, Err: IntoFailure>,
{
    let decoded = J::Input::decode(input).map_err(Failure::from);
    match decoded.and_then(|input| start(cx, input)) {
        Ok(body) => Box::pin(async move {
            match body.await.into_result() {
                Ok(output) => Ok(output.encode()?),
                Err(error) => Err(error.into_failure()),
            }
        }),
        Err(failure) => Box::pin(ready(Err(failure))),
    }
}

/// The context of a function that is refused as a job: its program does not compile.
pub fn no_context<'a>() -> JobCx<'a> {
    unreachable!("a function that was refused as a job was called")
}
