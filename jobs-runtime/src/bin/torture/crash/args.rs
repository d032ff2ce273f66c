//! The options of a subcommand: `--name value`, and `--name` alone for those that are on or off.

use std::collections::BTreeMap;
use std::str::FromStr;

/// What was given, taken out as it is read.
pub(crate) struct Args {
    given: BTreeMap<String, String>,
}

impl Args {
    /// Reads options; `switches` take no value.
    pub(crate) fn read(
        args: impl IntoIterator<Item = String>,
        switches: &[&str],
    ) -> Result<Self, String> {
        let mut given = BTreeMap::new();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let name = arg
                .strip_prefix("--")
                .ok_or_else(|| format!("\"{arg}\" is no option: options begin with --"))?;
            let value = match switches.contains(&name) {
                true => String::new(),
                false => args
                    .next()
                    .ok_or_else(|| format!("--{name} needs a value"))?,
            };
            given.insert(name.to_owned(), value);
        }
        Ok(Args { given })
    }

    /// Whether a switch is on.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        self.given.remove(name).is_some()
    }

    /// The value of an option, if it was given.
    pub(crate) fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, String>
    where
        T::Err: std::fmt::Display,
    {
        let Some(text) = self.given.remove(name) else {
            return Ok(None);
        };
        let value = text.parse();
        value
            .map(Some)
            .map_err(|error| format!("--{name} {text}: {error}"))
    }

    /// Refuses what nobody has read.
    pub(crate) fn end(self) -> Result<(), String> {
        match self.given.into_keys().next() {
            Some(name) => Err(format!("there is no option --{name} here")),
            None => Ok(()),
        }
    }
}
