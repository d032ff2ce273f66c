//! What of a definition tools look at: the types whose values are stored, and the whole list of
//! its steps with those of its helpers. How two versions of it differ is judged in `lock`.

use super::{JobDef, StepDef, StepType};
use serde_json::Value;
use std::any::type_name;
use std::iter::repeat;

/// A type whose values outlive the process.
#[derive(Clone, Copy, Debug)]
pub struct TypeDef {
    /// Its name.
    pub name: fn() -> &'static str,
    /// Its JSON Schema, as a reader of stored values sees it. `None` where it cannot be seen: the
    /// type does not implement `schemars::JsonSchema`, or the feature `schema` is off.
    pub schema: Option<fn() -> Value>,
}

impl TypeDef {
    /// A type of which nothing but the name is known.
    #[must_use]
    pub const fn of<T: ?Sized>() -> Self {
        TypeDef {
            name: type_name::<T>,
            schema: None,
        }
    }
}

/// A step as it is recorded: its whole name, and where it was written.
#[derive(Clone, Debug)]
pub struct ListedStep {
    /// The name with its placeholders: a step of a helper as `billing/charge`.
    pub name: String,
    /// Every name it can have been recorded under before, the newest first.
    pub was: Vec<String>,
    /// The file it was written in.
    pub file: &'static str,
    /// What was written.
    pub def: &'static StepDef,
    /// What it stores.
    pub ty: StepType,
}

impl JobDef {
    /// Every step that is recorded, those of helpers included, in order of their lines.
    #[must_use]
    pub fn listed_steps(&self) -> Vec<ListedStep> {
        let mut all = Vec::new();
        let types = self.step_types();
        list(&[String::new()], self.file, (self.steps, types), &mut all);
        all
    }

    /// What it needs of a store beyond what every store can do: `transactional` for steps or an
    /// outbox inside a transaction.
    #[must_use]
    pub fn capabilities(&self) -> Vec<&'static str> {
        let has_tx = || self.listed_steps().iter().any(|step| step.def.tx);
        match self.options.outbox || has_tx() {
            true => vec!["transactional"],
            false => Vec::new(),
        }
    }
}

/// `prefixes` are all names of the helper these steps belong to, the one of today first. Ends
/// because a helper cannot hold itself.
fn list(
    prefixes: &[String],
    file: &'static str,
    (steps, types): (&'static [StepDef], Vec<StepType>),
    all: &mut Vec<ListedStep>,
) {
    // A body that a test left out tells nothing.
    let types = types.into_iter().chain(repeat(StepType::NotKnown));
    for (step, ty) in steps.iter().zip(types) {
        let names = || std::iter::once(step.name).chain(step.was.iter().copied());
        let mut names = prefixes
            .iter()
            .flat_map(|prefix| names().map(move |name| format!("{prefix}{name}")));
        match step.helper {
            Some(helper) => {
                let below: Vec<String> = names.map(|name| format!("{name}/")).collect();
                let helper = helper();
                let steps = (helper.steps, helper.step_types());
                list(&below, helper.file, steps, all);
            }
            None => {
                let name = names.next().unwrap_or_default();
                let was = names.collect();
                all.push(ListedStep {
                    name,
                    was,
                    file,
                    def: step,
                    ty,
                });
            }
        }
    }
}
