//! The lock as a file: TOML, sorted, a line for each thing that can change on its own. What it
//! means is in `model`.

use super::model::{EventLock, JobLock, Lock, StepLock};
use std::fmt::{self, Display, Write};

/// The format of the file. A reader refuses one that it does not know.
pub(super) const VERSION: i64 = 1;

const HEAD: &str = "\
# What stored runs rely on: names, kinds and types of jobs, steps and events.
# Written by `jobs lock`, compared by `jobs lock --check`. Read a change of it as you would read a
# migration: \"jobs lock\" in the book says which ones lose work.
";

/// What stands for the fields of a type that has no schema, and for a type that cannot be seen.
pub(super) const NOT_KNOWN: &str = "not known";

impl Lock {
    /// The text of the lock file. Equal locks give equal texts.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        // Writing to a `String` gives no errors.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "{HEAD}version = {VERSION}")?;
        for (name, job) in &self.jobs {
            write_job(out, name, job)?;
        }
        for (name, event) in &self.events {
            write_event(out, name, event)?;
        }
        if !self.types.is_empty() {
            writeln!(out, "\n[types]")?;
        }
        for (name, ty) in &self.types {
            match &ty.fields {
                None => writeln!(out, "{} = {}", Key(name), Text(NOT_KNOWN))?,
                Some(fields) if fields.len() == 1 => {
                    let only = fields.iter().map(ToString::to_string).collect::<String>();
                    writeln!(out, "{} = [{}]", Key(name), Text(&only))?;
                }
                Some(fields) => {
                    writeln!(out, "{} = [", Key(name))?;
                    for field in fields {
                        writeln!(out, "    {},", Text(&field.to_string()))?;
                    }
                    writeln!(out, "]")?;
                }
            }
        }
        Ok(())
    }
}

fn write_job(out: &mut String, name: &str, job: &JobLock) -> fmt::Result {
    writeln!(out, "\n[job.{}]", Key(name))?;
    pair(out, "crate", &Text(&job.krate))?;
    if !job.was.is_empty() {
        pair(out, "was", &Texts(&job.was))?;
    }
    if let Some(key) = &job.key {
        pair(out, "key", &Text(key))?;
    }
    if let Some(tenant) = &job.tenant {
        pair(out, "tenant", &Text(tenant))?;
    }
    pair(out, "input", &Text(&job.input))?;
    pair(out, "output", &Text(&job.output))?;
    if !job.removed.is_empty() {
        pair(out, "removed", &Texts(&job.removed))?;
    }
    for (option, value) in &job.options {
        writeln!(out, "options.{} = {}", Key(option), Text(value))?;
    }
    for (step, lock) in &job.steps {
        writeln!(out, "steps.{} = {{ {} }}", Key(step), step_text(lock))?;
    }
    Ok(())
}

fn step_text(step: &StepLock) -> String {
    let mut parts = vec![format!("kind = {}", Text(&step.kind))];
    if let Some(event) = &step.event {
        parts.push(format!("event = {}", Text(event)));
    }
    if let Some(output) = &step.output {
        parts.push(format!("output = {}", Text(output)));
    }
    if !step.was.is_empty() {
        parts.push(format!("was = {}", Texts(&step.was)));
    }
    for (name, holds) in [("at_most_once", step.at_most_once), ("tx", step.tx)] {
        if holds {
            parts.push(format!("{name} = true"));
        }
    }
    parts.join(", ")
}

fn write_event(out: &mut String, name: &str, event: &EventLock) -> fmt::Result {
    writeln!(out, "\n[event.{}]", Key(name))?;
    pair(out, "crate", &Text(&event.krate))?;
    if !event.was.is_empty() {
        pair(out, "was", &Texts(&event.was))?;
    }
    if let Some(key) = &event.key {
        pair(out, "key", &Text(key))?;
    }
    if let Some(ttl) = &event.ttl {
        pair(out, "ttl", &Text(ttl))?;
    }
    pair(out, "payload", &Text(&event.payload))
}

fn pair(out: &mut String, key: &str, value: &dyn Display) -> fmt::Result {
    writeln!(out, "{key} = {value}")
}

/// A key, in quotes if it must be.
struct Key<'a>(&'a str);

impl Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match !self.0.is_empty() && self.0.chars().all(is_bare) {
            true => f.write_str(self.0),
            false => Text(self.0).fmt(f),
        }
    }
}

/// A basic string: in it nothing a name can hold means anything.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{:04X}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

struct Texts<'a>(&'a [String]);

impl Display for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (at, text) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}", Text(text))?;
        }
        f.write_char(']')
    }
}
