//! From stored input to stored output: what stands around the body of a job.

use crate::Error;
use crate::definition::Job;
use crate::durable::Durable;
use crate::failure::Failure;
use crate::registry::{Call, Entered, JobDef, Said};
use crate::steps::JobCx;
use std::future::{Future, pending, ready};
use std::pin::Pin;

/// What `JobDef::run` gives; an alias, so that each expansion is shorter by it.
pub type RunFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, Failure>> + Send + 'a>>;

/// Decodes the input, adds to it by `given` what the job asks for beside, starts the body by
/// `start`, encodes what it returns. `output` and `encode` are arguments, and `J::Output` is not
/// named, so that a return type which cannot be one is reported once, where it is written.
pub fn run<'a, J, A, F, R, O>(
    call: Call<'a>,
    output: fn(R) -> Result<O, Failure>,
    encode: fn(&O) -> Result<Vec<u8>, Error>,
    given: impl FnOnce(JobCx<'a>, J::Input) -> Result<A, Failure>,
    start: impl FnOnce(Entered<'a, A>) -> F,
) -> RunFuture<'a>
where
    J: Job,
    F: Future<Output = R> + Send + 'a,
    R: 'a,
    O: 'a,
{
    let entry = match call {
        Call::Ask(asks, input) => {
            asks.answer(J::Input::decode(input).map(|input| Said {
                tenant: J::tenant(&input),
                limit_key: J::limit_key(&input),
            }));
            return Box::pin(pending());
        }
        Call::Describe(told) => Ok(Entered::Describe(told)),
        Call::Run(cx, input) => {
            let decoded = J::Input::decode(input).map_err(Failure::from);
            decoded
                .and_then(|input| given(cx, input))
                .map(|given| Entered::Run(cx, given))
        }
    };
    match entry.map(start) {
        Ok(body) => Box::pin(async move { Ok(encode(&output(body.await)?)?) }),
        Err(failure) => Box::pin(ready(Err(failure))),
    }
}

/// The stored form of a job's output.
pub fn encode<J: Job>(output: &J::Output) -> Result<Vec<u8>, Error> {
    output.encode()
}

/// The definition of the job that cleans up after `J`: it works on the same input.
pub fn clean_up<J: Job, C: Job<Input = J::Input>>() -> &'static JobDef {
    C::def()
}

/// The context of a function that is refused as a job: its program does not compile.
pub fn no_context<'a>() -> JobCx<'a> {
    unreachable!("a function that was refused as a job was called")
}
