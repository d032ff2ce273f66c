//! What holds for the code that is being walked, and no longer when its end is reached: how often it
//! runs, under which conditions it is compiled, and whether its steps can be tied to tags.

use super::marker::Marker;
use syn::Attribute;

/// How often the code around a step runs in one pass of the body.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Repetition {
    Closure,
    Loop,
    Once,
}

impl Marker<'_> {
    /// Whether rustc sees a step here exactly when it sees its tag.
    pub(super) fn is_tied(&self) -> bool {
        self.tied && self.conditions <= self.cfgs.len()
    }

    pub(super) fn under<T>(
        &mut self,
        cfgs: Vec<Attribute>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.cfgs.len();
        self.cfgs.extend(cfgs);
        let result = self.inside(work);
        self.cfgs.truncate(outer);
        result
    }

    /// Conditions that are seen within hold within.
    pub(super) fn inside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.conditions;
        let result = work(self);
        self.conditions = outer;
        result
    }

    /// Steps within are tied only if they are tied without, and `tied` says so.
    pub(super) fn tied_if<T>(&mut self, tied: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.tied;
        self.tied &= tied;
        let result = work(self);
        self.tied = outer;
        result
    }

    pub(super) fn repeated<T>(&mut self, by: Repetition, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.repetition, by);
        let result = work(self);
        self.repetition = outer;
        result
    }
}
