//! The steps of a job as a picture: Mermaid, for pages that draw it, or DOT, for Graphviz.
//!
//! It shows the steps in the order of their lines, and which of them may happen many times. Which
//! branches a run takes between them is the body's, and not known before it runs.
//!
//! ```
//! use jobs_runtime::graph::{Format, graph};
//! use jobs_runtime::{Job, Result, job, step};
//!
//! #[job(idempotency = "drawn:{order}")]
//! async fn drawn_order(order: u64) -> Result<()> {
//!     step!("charge", charge(order)).await?;
//!     step!("pause", sleep = "1h").await;
//!     Ok(())
//! }
//! # async fn charge(order: u64) -> Result<()> { Ok(()) }
//!
//! let picture = graph(drawn_order::def(), Format::Mermaid);
//! assert!(picture.contains(r#"s1["charge"]"#));
//! ```

use crate::core::RecordKind;
use crate::registry::{JobDef, ListedStep};
use std::fmt::{self, Write};

/// How the picture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For Markdown pages that draw Mermaid.
    Mermaid,
    /// For Graphviz.
    Dot,
}

/// The steps of a job, those of its helpers included.
#[must_use]
pub fn graph(job: &JobDef, format: Format) -> String {
    let steps = job.listed_steps();
    let mut text = String::new();
    // Writing to a `String` gives no errors.
    let _ = match format {
        Format::Mermaid => mermaid(&mut text, job, &steps),
        Format::Dot => dot(&mut text, job, &steps),
    };
    text
}

fn mermaid(out: &mut String, job: &JobDef, steps: &[ListedStep]) -> fmt::Result {
    writeln!(out, "flowchart TD")?;
    writeln!(out, "    s0([\"{}\"])", in_mermaid(job.name))?;
    for (at, step) in steps.iter().enumerate() {
        let (open, close) = match step.def.kind {
            RecordKind::Step => ("[", "]"),
            RecordKind::Sleep => ("[/", "/]"),
            RecordKind::Event => ("{{", "}}"),
            RecordKind::Child => ("[[", "]]"),
        };
        let label = in_mermaid(&label(step));
        writeln!(out, "    s{}{open}\"{label}\"{close}", at + 1)?;
    }
    writeln!(out, "    e([\"done\"])")?;
    for (from, to) in edges(steps.len()) {
        writeln!(out, "    {from} --> {to}")?;
    }
    for (at, _) in repeated(steps) {
        writeln!(out, "    s{at} -->|again| s{at}")?;
    }
    Ok(())
}

fn dot(out: &mut String, job: &JobDef, steps: &[ListedStep]) -> fmt::Result {
    writeln!(out, "digraph {} {{", in_dot(job.name))?;
    writeln!(out, "    node [shape=box];")?;
    writeln!(out, "    s0 [label={}, shape=oval];", in_dot(job.name))?;
    for (at, step) in steps.iter().enumerate() {
        let shape = match step.def.kind {
            RecordKind::Step => "box",
            RecordKind::Sleep => "parallelogram",
            RecordKind::Event => "hexagon",
            RecordKind::Child => "box3d",
        };
        let label = in_dot(&label(step));
        writeln!(out, "    s{} [label={label}, shape={shape}];", at + 1)?;
    }
    writeln!(out, "    e [label=\"done\", shape=oval];")?;
    for (from, to) in edges(steps.len()) {
        writeln!(out, "    {from} -> {to};")?;
    }
    for (at, _) in repeated(steps) {
        writeln!(out, "    s{at} -> s{at} [label=\"again\"];")?;
    }
    writeln!(out, "}}")
}

/// From the job's start through all steps to its end.
fn edges(steps: usize) -> impl Iterator<Item = (String, String)> {
    (0..=steps).map(move |at| {
        let to = match at == steps {
            true => "e".to_owned(),
            false => format!("s{}", at + 1),
        };
        (format!("s{at}"), to)
    })
}

fn repeated(steps: &[ListedStep]) -> impl Iterator<Item = (usize, &ListedStep)> {
    let numbered = steps.iter().enumerate();
    numbered
        .filter(|(_, step)| step.def.in_loop)
        .map(|(at, step)| (at + 1, step))
}

/// The name, and below it what it waits for or asks for.
fn label(step: &ListedStep) -> String {
    let subject = step.def.subject;
    match step.def.kind {
        RecordKind::Event if !subject.is_empty() => format!("{}\nevent {subject}", step.name),
        RecordKind::Child if !subject.is_empty() => format!("{}\njob {subject}", step.name),
        _ if step.def.tx => format!("{}\nin a transaction", step.name),
        _ if step.def.at_most_once => format!("{}\nat most once", step.name),
        _ => step.name.clone(),
    }
}

fn in_mermaid(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("<br>"),
            // Mermaid reads these as entities; everything else in quotes is text.
            '"' | '#' | '<' | '>' | '&' | '`' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

fn in_dot(text: &str) -> String {
    let mut escaped = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            '"' | '\\' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped.push('"');
    escaped
}
