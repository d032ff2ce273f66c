//! `torture`: breaks this crate on purpose, and says what it found.

mod crash;
mod ledger;
mod paid;
mod simulate;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let unknown = || Err(format!("{}\n{}", simulate::USAGE, crash::USAGE));
    let done = match name.as_str() {
        "sim" => simulate::command(args),
        _ => crash::command(&name, args).unwrap_or_else(unknown),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}
