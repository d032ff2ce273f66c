//! What befalls the server of a trial while processes work: a command that is run again and again.

use jobs_runtime::torture::history::What;
use jobs_runtime::torture::log::Log;
use jobs_runtime::torture::workload::Choices;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The shortest and the longest time between two disturbances, in milliseconds of the machine.
const APART_MS: (u64, u64) = (3_000, 6_000);

/// Runs the command of a trial while its processes are hit.
pub(crate) struct Disturber<'a> {
    command: Option<&'a str>,
    log: Log,
    choices: Choices,
    next: Duration,
    running: Option<Child>,
    /// How often it was run.
    pub(crate) times: u64,
}

impl<'a> Disturber<'a> {
    pub(crate) fn new(command: Option<&'a str>, seed: u64, log: Log) -> Self {
        let mut choices = Choices::of(seed, 0xD157);
        let next = apart(&mut choices);
        Disturber {
            command,
            log,
            choices,
            next,
            running: None,
            times: 0,
        }
    }

    /// Whether one is under way.
    pub(crate) fn is_at_it(&self) -> bool {
        self.running.is_some()
    }

    /// Does what is due, up to the end of the trial's worse part.
    pub(crate) fn step(&mut self, now: Duration, until: Duration) -> Result<(), String> {
        let said = |error: std::io::Error| format!("the disturbance: {error}");
        if let Some(child) = &mut self.running {
            let Some(status) = child.try_wait().map_err(said)? else {
                return Ok(());
            };
            if !status.success() {
                return Err(format!("the disturbance failed: {status}"));
            }
            self.running = None;
            self.log.write(What::FaultEnd("disturbed".into()));
            self.next = now + apart(&mut self.choices);
        }
        let Some(command) = self.command.filter(|_| self.next <= now && now < until) else {
            return Ok(());
        };
        self.log.write(What::FaultBegin("disturbed".into()));
        let mut shell = Command::new("sh");
        shell
            .args(["-c", command])
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        self.running = Some(shell.spawn().map_err(said)?);
        self.times += 1;
        Ok(())
    }
}

fn apart(choices: &mut Choices) -> Duration {
    let (least, most) = APART_MS;
    Duration::from_millis(choices.between(least, most))
}
