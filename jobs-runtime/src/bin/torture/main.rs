//! `torture`: breaks this crate on purpose, and says what it found.

mod crash;
mod paid;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let unknown = || Err(crash::USAGE.into());
    match crash::command(&name, args).unwrap_or_else(unknown) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}
