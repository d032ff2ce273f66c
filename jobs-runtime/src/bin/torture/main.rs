//! `torture`: breaks this crate on purpose, and says what it found.

mod crash;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    match crash::command(&name, args) {
        Some(Ok(true)) => ExitCode::SUCCESS,
        Some(Ok(false)) => ExitCode::FAILURE,
        Some(Err(why)) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
        None => {
            eprintln!("{}", crash::USAGE);
            ExitCode::from(2)
        }
    }
}
