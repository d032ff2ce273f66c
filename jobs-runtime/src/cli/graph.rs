//! `jobs graph NAME`.

use super::OK;
use super::args::{GraphArgs, GraphFormat};
use super::out::Out;
use crate::Error;
use crate::error::codes::X_JOB_UNKNOWN;
use crate::graph::{Format, graph};
use crate::registry::Registry;
use serde_json::json;

pub(super) fn run(args: &GraphArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let registry = Registry::linked()?;
    let Some(job) = registry.find(&args.name) else {
        return Err(unknown(&args.name, &registry));
    };
    let format = match args.format {
        GraphFormat::Mermaid => Format::Mermaid,
        GraphFormat::Dot => Format::Dot,
    };
    let picture = graph(job, format);
    match out.json {
        true => out.value(&json!({ "job": job.name, "graph": picture })),
        false => out.line(picture.trim_end()),
    }
    Ok(OK)
}

fn unknown(name: &str, registry: &Registry) -> Error {
    let fix = match crate::admin::nearest(name, registry.names()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if registry.names().next().is_none() => {
            "call it on the program that has the jobs: `your-program jobs graph ..`".to_owned()
        }
        None => {
            let names: Vec<&str> = registry.names().collect();
            format!("there are {}", names.join(", "))
        }
    };
    let message = format!("no job \"{name}\" is linked into this program");
    Error::new(&X_JOB_UNKNOWN, message, fix)
}
