//! What stands in the place of `bench` in a program that was built without it: the command, which
//! says how to get it.

use crate::Error;

/// Measure a store (this program was built without it)
#[derive(Clone, clap::Args)]
pub(crate) struct BenchArgs {
    /// Whatever the command would take
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub(crate) words: Vec<String>,
    /// The store
    #[arg(skip)]
    pub(crate) store: Option<String>,
}

pub(crate) enum Said {
    Doing(String),
    Line(String),
}

pub(crate) async fn run(
    args: &BenchArgs,
    url: &str,
    json: bool,
    mut say: impl FnMut(Said),
) -> Result<(), Error> {
    // The words are those of another build; only that there were some is known.
    let (words, form) = (args.words.len(), if json { "JSON" } else { "text" });
    say(Said::Doing(format!("{words} words for {url}, as {form}")));
    say(Said::Line(String::new()));
    std::future::ready(Err(Error::not_implemented(
        "this program was built without its measurements",
        "build it with the feature `bench` of `jobs-runtime`, in release mode",
    )))
    .await
}
