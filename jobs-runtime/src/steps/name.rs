//! The name of a step as the code asks for it: below the helpers it is called through, and with
//! the names it had before.

use super::JobCx;
use std::borrow::Cow;

/// A rendered name and its former ones, the newest first.
#[derive(Clone, Debug)]
pub struct StepName {
    name: Cow<'static, str>,
    formers: Vec<Cow<'static, str>>,
}

impl StepName {
    /// The name of a step that had no other before.
    pub fn named(name: impl Into<StepName>) -> Self {
        name.into()
    }

    /// The same step, which was once called `former`, before all names that were said already.
    #[must_use]
    pub fn formerly(mut self, former: impl Into<Cow<'static, str>>) -> Self {
        self.formers.push(former.into());
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.name
    }

    pub(crate) fn formers(&self) -> impl Iterator<Item = &str> {
        self.formers.iter().map(AsRef::as_ref)
    }

    /// Every name that this step can have below a helper that can have every name of `prefix`.
    fn below(&self, prefix: &StepName) -> Self {
        let prefixes = || std::iter::once(&prefix.name).chain(&prefix.formers);
        let names = || std::iter::once(&self.name).chain(&self.formers);
        let mut all = prefixes()
            .flat_map(|prefix| names().map(move |name| Cow::Owned(format!("{prefix}/{name}"))));
        StepName {
            name: all.next().unwrap_or_default(),
            formers: all.collect(),
        }
    }
}

impl From<&'static str> for StepName {
    fn from(name: &'static str) -> Self {
        StepName {
            name: name.into(),
            formers: Vec::new(),
        }
    }
}

impl From<String> for StepName {
    fn from(name: String) -> Self {
        StepName {
            name: name.into(),
            formers: Vec::new(),
        }
    }
}

/// The helper that a context belongs to; an index, so that the context can be copied.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Helper(Option<usize>);

/// The helpers that were called in one lease.
#[derive(Debug, Default)]
pub(super) struct Helpers(Vec<StepName>);

impl Helpers {
    fn below(&self, helper: Helper, name: StepName) -> StepName {
        match helper.0.and_then(|at| self.0.get(at)) {
            Some(prefix) => name.below(prefix),
            None => name,
        }
    }

    fn call(&mut self, within: Helper, name: StepName) -> Helper {
        let name = self.below(within, name);
        // Called again under its name, it is the same: its steps collide, and say so.
        let known = self.0.iter().rposition(|other| other.name == name.name);
        let at = known.unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        });
        Helper(Some(at))
    }
}

impl<'a> JobCx<'a> {
    /// The name that a step of this context is recorded under.
    pub(crate) fn full_name(self, name: impl Into<StepName>) -> StepName {
        let name = name.into();
        match self.helper.0 {
            None => name,
            Some(_) => self.cell.with_helpers(|all| all.below(self.helper, name)),
        }
    }

    /// The context of a helper that is called as a step of this name.
    pub(crate) fn within_helper(self, name: impl Into<StepName>) -> JobCx<'a> {
        let name = name.into();
        let helper = self.cell.with_helpers(|all| all.call(self.helper, name));
        JobCx { helper, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_below_helpers_has_every_combination_of_names() {
        let mut helpers = Helpers::default();
        let bill = helpers.call(
            Helper::default(),
            StepName::from("bill").formerly("invoice"),
        );
        let tax = helpers.call(bill, "tax:7".to_owned().into());
        let name = helpers.below(tax, StepName::from("ask").formerly("look-up"));
        assert_eq!(name.as_str(), "bill/tax:7/ask");
        let formers: Vec<&str> = name.formers().collect();
        assert_eq!(
            formers,
            [
                "bill/tax:7/look-up",
                "invoice/tax:7/ask",
                "invoice/tax:7/look-up"
            ]
        );
    }

    #[test]
    fn a_helper_that_is_called_again_is_the_same() {
        let mut helpers = Helpers::default();
        let first = helpers.call(Helper::default(), "bill".into());
        assert_eq!(helpers.call(Helper::default(), "bill".into()), first);
        assert_eq!(helpers.0.len(), 1);
    }
}
