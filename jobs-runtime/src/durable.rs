//! The traits between user code and the machinery: what can be stored, what can be part of a
//! key, what a job or a step may return, what a job may ask for. They are here for their errors:
//! the words under `on_unimplemented` are what a user reads when a type does not fit. All are
//! implemented for whole families of types, and none is meant to be implemented by hand.

use crate::core::{JobId, RunId, key_part};
use crate::definition::Job;
use crate::registry::Need;
use crate::request::Request;
use crate::steps::{JobContext, JobCx, State};
use crate::{Error, Failure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::{TypeId, type_name};
use std::borrow::Cow;
use std::sync::Arc;

/// A value that outlives the process: an input, an output, the result of a step, an event.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored by a job",
    label = "cannot be written down and read back",
    note = "if it is a type of yours, add `#[derive(serde::Serialize, serde::Deserialize)]` to it",
    note = "if it is a reference, give an owned value: a reference cannot be read back"
)]
pub trait Durable: Sized {
    /// The stored form.
    ///
    /// # Errors
    /// `X_OUTPUT_UNENCODABLE` if the value has no stored form.
    fn encode(&self) -> Result<Vec<u8>, Error>;

    /// The value from its stored form.
    ///
    /// # Errors
    /// `X_INPUT_UNDECODABLE` if the stored form is another type's.
    fn decode(bytes: &[u8]) -> Result<Self, Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Durable for T {
    fn encode(&self) -> Result<Vec<u8>, Error> {
        let unencodable = |why| Error::unencodable(type_name::<T>(), why);
        let bytes = serde_json::to_vec(self).map_err(unencodable)?;
        if may_not_read_back(&bytes) {
            // A job with such an input could be stored, and never run.
            serde_json::from_slice::<T>(&bytes).map_err(unencodable)?;
        }
        Ok(bytes)
    }

    fn decode(bytes: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(bytes).map_err(|why| Error::undecodable(type_name::<T>(), why))
    }
}

/// How deep JSON may be nested and still be read.
const DEPTH_LIMIT: usize = 120;

/// Whether JSON that could be written may be refused when it is read: a number that is none is
/// written as `null`, and what is nested too deeply is not read. Rarely true, so that the second
/// look costs nothing as a rule.
fn may_not_read_back(json: &[u8]) -> bool {
    let mut depth = 0_usize;
    // Brackets inside texts count too: that only makes a second look more likely.
    let deep = json.iter().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEPTH_LIMIT
    });
    deep || json.windows(4).any(|four| four == b"null")
}

/// A value that can be part of a key or of a step's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a key or a step name: it must print the same text every time",
    label = "has the type `{Self}`",
    note = "an integer, `bool`, `char`, a text or a `Uuid` can",
    note = "make the text of any other type yourself: `idempotency = |input| format!(..)` for a key, a variable before the step for its name"
)]
pub trait KeyPart: sealed::KeyPart {
    /// The text, not yet escaped.
    fn text(&self) -> Cow<'_, str>;
}

macro_rules! printed {
    ($($ty:ty)*) => {$(
        impl sealed::KeyPart for $ty {}
        #[diagnostic::do_not_recommend]
        impl KeyPart for $ty {
            fn text(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }
        }
    )*};
}

printed! {
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize bool char uuid::Uuid JobId RunId
}

macro_rules! text {
    ($($ty:ty)*) => {$(
        impl sealed::KeyPart for $ty {}
        #[diagnostic::do_not_recommend]
        impl KeyPart for $ty {
            fn text(&self) -> Cow<'_, str> {
                Cow::Borrowed(self)
            }
        }
    )*};
}

text! { str String Box<str> Arc<str> Cow<'_, str> }

impl<T: KeyPart + ?Sized> sealed::KeyPart for &T {}
#[diagnostic::do_not_recommend]
impl<T: KeyPart + ?Sized> KeyPart for &T {
    fn text(&self) -> Cow<'_, str> {
        (**self).text()
    }
}

/// The key of an event that has none.
#[derive(Clone, Copy, Debug)]
pub struct NoKey(());

impl sealed::KeyPart for NoKey {
    const NONE: bool = true;
}
#[diagnostic::do_not_recommend]
impl KeyPart for NoKey {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
}

#[diagnostic::do_not_recommend]
impl EventKey<NoKey> for () {
    fn key_text(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
}

/// Whether events with this type of key have one at all.
pub(crate) fn has_key<K: KeyPart>() -> bool {
    !<K as sealed::KeyPart>::NONE
}

/// A value that can stand for the key of an event whose key type is `K`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the key of this event, whose key is `{K}`",
    label = "expected `{K}`",
    note = "the key is declared where the event is: `#[event(key = {K})]`"
)]
pub trait EventKey<K> {
    /// The text, not yet escaped.
    fn key_text(&self) -> Cow<'_, str>;
}

#[diagnostic::do_not_recommend]
impl<K: KeyPart> EventKey<K> for K {
    fn key_text(&self) -> Cow<'_, str> {
        self.text()
    }
}

#[diagnostic::do_not_recommend]
impl<K: KeyPart> EventKey<K> for &K {
    fn key_text(&self) -> Cow<'_, str> {
        (**self).text()
    }
}

#[diagnostic::do_not_recommend]
impl EventKey<String> for str {
    fn key_text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

#[diagnostic::do_not_recommend]
impl EventKey<String> for &str {
    fn key_text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

/// The key of a wait: a value that stands for the event's key, or none.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be the key of a wait")]
pub trait WaitKey<K> {
    /// The rendered key.
    fn render(&self) -> Option<String>;
}

impl<K, Q: EventKey<K> + ?Sized> WaitKey<K> for &Q {
    fn render(&self) -> Option<String> {
        Some(key_part(&self.key_text()))
    }
}

/// The key of a wait that takes any event of its name.
#[derive(Clone, Copy, Debug)]
pub struct AnyKey;

#[diagnostic::do_not_recommend]
impl<K> WaitKey<K> for AnyKey {
    fn render(&self) -> Option<String> {
        None
    }
}

/// An error that can be stored.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error that can be stored",
    label = "neither a `Failure` nor a `std::error::Error`",
    note = "use `jobs_runtime::Result`, into whose error `?` turns any `std::error::Error`; for `{Self}` implement that trait, or turn it into a `Failure` with `map_err(Failure::msg)`"
)]
pub trait IntoFailure {
    /// The failure, with the chain of its causes.
    fn into_failure(self) -> Failure;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Failure>> IntoFailure for E {
    fn into_failure(self) -> Failure {
        self.into()
    }
}

/// What stands after `job =` in a step.
#[diagnostic::on_unimplemented(
    message = "`job =` takes a request for a job, and `{Self}` is none",
    label = "not a request",
    note = "call the function of a `#[job]`, and leave the enqueueing to the step: `step!(\"ship\", job = ship(parcel))`"
)]
pub trait ChildRequest: Sized {
    /// The job that is asked for.
    type Job: Job;

    #[doc(hidden)]
    fn into_request(self) -> Request<Self::Job>;
}

#[diagnostic::do_not_recommend]
impl<J: Job, O: 'static> ChildRequest for Request<J, O> {
    type Job = J;

    /// A child stands or falls with the commit of its parent: that is transaction enough.
    fn into_request(self) -> Request<J> {
        self.marked()
    }
}

/// What a job returns.
#[diagnostic::on_unimplemented(
    message = "a `#[job]` returns a `Result`, so that a failure is seen and tried again",
    label = "`{Self}` is no `Result`",
    note = "write `-> Result<{Self}>`, and `Ok(..)` around the value"
)]
pub trait JobReturn: Sized {
    /// The output.
    type Ok;
    /// The error.
    type Err;

    #[doc(hidden)]
    fn into_output(self) -> Result<Self::Ok, Failure>
    where
        Self::Err: IntoFailure;
}

#[diagnostic::do_not_recommend]
impl<T, E> JobReturn for Result<T, E> {
    type Ok = T;
    type Err = E;

    fn into_output(self) -> Result<T, Failure>
    where
        E: IntoFailure,
    {
        self.map_err(IntoFailure::into_failure)
    }
}

/// What the future of a step gives.
#[diagnostic::on_unimplemented(
    message = "a step gives a `Result`, so that a failure is seen and stored",
    label = "the future of this step gives `{Self}`",
    note = "wrap the value: `step!(\"name\", {{ Ok(..) }})`"
)]
pub trait StepReturn: Sized {
    /// What is stored.
    type Ok;
    /// The error.
    type Err;

    #[doc(hidden)]
    fn into_stored(self) -> Result<Vec<u8>, Failure>
    where
        Self::Ok: Durable,
        Self::Err: IntoFailure;
}

#[diagnostic::do_not_recommend]
impl<T, E> StepReturn for Result<T, E> {
    type Ok = T;
    type Err = E;

    fn into_stored(self) -> Result<Vec<u8>, Failure>
    where
        T: Durable,
        E: IntoFailure,
    {
        Ok(self.map_err(IntoFailure::into_failure)?.encode()?)
    }
}

/// What stands in a step. It is a trait of its own, and not `IntoFuture`, because only then does
/// rustc say once that something is no future.
#[diagnostic::on_unimplemented(
    message = "a step needs a future, and `{Self}` is none",
    label = "not a future",
    note = "call an `async fn` without `.await`, or write a block: `step!(\"name\", {{ Ok(..) }})`"
)]
pub trait StepBody {
    #[doc(hidden)]
    type Output;

    #[doc(hidden)]
    type Future: Future<Output = Self::Output>;

    #[doc(hidden)]
    fn into_body(self) -> Self::Future;
}

#[diagnostic::do_not_recommend]
impl<F: IntoFuture> StepBody for F {
    type Output = F::Output;
    type Future = F::IntoFuture;

    fn into_body(self) -> F::IntoFuture {
        self.into_future()
    }
}

/// What a job may ask for beside its input.
#[diagnostic::on_unimplemented(
    message = "a `#[job]` cannot be given a `{Self}`",
    label = "not known to the worker",
    note = "the first parameter is the job's input; those after it are `State<..>`, a value given to the worker, or `JobContext`"
)]
pub trait Extract: Sized {
    #[doc(hidden)]
    fn extract(cx: JobCx<'_>) -> Result<Self, Failure>;

    #[doc(hidden)]
    fn need() -> Option<Need>;
}

#[diagnostic::do_not_recommend]
impl<S: Send + Sync + 'static> Extract for State<S> {
    fn extract(cx: JobCx<'_>) -> Result<Self, Failure> {
        let missing = || Error::state_missing(&cx.cell.info.name, type_name::<S>()).into();
        State::find(cx).ok_or_else(missing)
    }

    fn need() -> Option<Need> {
        Some(Need {
            type_id: TypeId::of::<S>(),
            type_name: type_name::<S>(),
        })
    }
}

#[diagnostic::do_not_recommend]
impl Extract for JobContext {
    fn extract(cx: JobCx<'_>) -> Result<Self, Failure> {
        Ok(JobContext::new(cx))
    }

    fn need() -> Option<Need> {
        None
    }
}

#[allow(unnameable_types, reason = "sealed: implemented here and nowhere else")]
mod sealed {
    pub trait KeyPart {
        /// Stands for having no key.
        const NONE: bool = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_number_that_is_none_is_refused_before_it_is_stored() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = number.encode().unwrap_err();
            assert_eq!(error.code(), "X_OUTPUT_UNENCODABLE");
        }
        assert_eq!(None::<f64>.encode().unwrap(), b"null");
        assert_eq!(f64::MIN_POSITIVE.encode().unwrap().len(), 23);
    }

    #[test]
    fn what_is_nested_too_deeply_to_be_read_is_refused_before_it_is_stored() {
        let nested = |depth| (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        assert!(nested(100).encode().is_ok());
        let error = nested(500).encode().unwrap_err();
        assert_eq!(error.code(), "X_OUTPUT_UNENCODABLE");
    }

    #[test]
    fn the_largest_integers_and_every_text_read_back() {
        for number in [i128::MIN, i128::MAX] {
            assert_eq!(i128::decode(&number.encode().unwrap()).unwrap(), number);
        }
        let text = "\0\u{1b}[31m\u{202e}\u{10ffff}[[[[{{{{null".to_owned();
        assert_eq!(String::decode(&text.encode().unwrap()).unwrap(), text);
    }
}
