//! The processes of a trial: started, hit, looked after, and started again.

use super::place::Place;
use super::plan::{Blow, How, Plan, Who};
use super::process::{Role, Setup};
use super::time::FastTime;
use jobs_runtime::Timestamp;
use jobs_runtime::torture::history::{Life, What};
use jobs_runtime::torture::log::Log;
use jobs_runtime::torture::points;
use jobs_runtime::torture::workload::Choices;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a process that was killed is gone, at most, in milliseconds of the machine.
const GONE_LIMIT_MS: u64 = 40;

/// What the fleet is told by its trial.
pub(crate) struct Orders {
    pub(crate) plan: Plan,
    /// Of a client, in its first life.
    pub(crate) acts: u64,
    /// Something befalls the server meanwhile.
    pub(crate) disturbed: bool,
    pub(crate) folder: PathBuf,
    pub(crate) place: Place,
    pub(crate) time: FastTime,
    /// For so long, by the machine, points are armed.
    pub(crate) armed_for: Duration,
    pub(crate) calm_from: Timestamp,
    pub(crate) bug: Option<String>,
}

/// A hit that was struck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Struck {
    /// The crash point, if it was at one.
    pub(crate) point: Option<String>,
    /// How.
    pub(crate) how: How,
}

pub(crate) struct Fleet {
    orders: Orders,
    log: Log,
    processes: Vec<Process>,
    choices: Choices,
    /// Blows at instants that are still to come, the next one last.
    to_come: Vec<(Duration, Who, How)>,
    pub(crate) struck: Vec<Struck>,
    /// A process that ended by itself: what is known of it.
    pub(crate) fallen: Vec<String>,
}

struct Process {
    number: u32,
    role: Role,
    life: u32,
    state: State,
    /// What awaits this life at its point.
    armed: Option<(String, How)>,
}

enum State {
    /// It was hit by us, and its end is to come.
    Alive { pid: Pid, shot: bool },
    /// It is started again then.
    Dead { again: Duration },
    /// It has done what it was for.
    Done,
    /// It goes on then.
    Stopped { pid: Pid, until: Duration },
}

impl Fleet {
    pub(crate) fn new(orders: Orders, log: Log) -> Self {
        let plan = &orders.plan;
        let workers = (1..=plan.workers).map(|number| (number, Role::Worker));
        let all = workers.chain([(plan.client(), Role::Client)]);
        let process = |(number, role)| Process {
            number,
            role,
            life: 0,
            state: State::Dead {
                again: Duration::ZERO,
            },
            armed: None,
        };
        let mut to_come: Vec<_> = plan
            .blows
            .iter()
            .filter_map(|blow| match blow {
                Blow::At { ms, who, how } => Some((Duration::from_millis(*ms), *who, *how)),
                Blow::Point { .. } => None,
            })
            .collect();
        to_come.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
        Fleet {
            processes: all.map(process).collect(),
            choices: Choices::of(plan.seed, 0xF1EE7),
            to_come,
            struck: Vec::new(),
            fallen: Vec::new(),
            orders,
            log,
        }
    }

    /// Does what is due.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        let now = self.orders.time.since_begin();
        while self.to_come.last().is_some_and(|(at, ..)| *at <= now) {
            if let Some((_, who, how)) = self.to_come.pop() {
                self.hit(who, how, now);
            }
        }
        for index in 0..self.processes.len() {
            self.look_after(index, now)?;
        }
        Ok(())
    }

    /// Whether the client has done all it was to do.
    pub(crate) fn is_client_done(&self) -> bool {
        let mut clients = self.processes.iter().filter(|p| p.role == Role::Client);
        clients.all(|client| matches!(client.state, State::Done))
    }

    /// Whether nobody is dead or stopped.
    pub(crate) fn is_whole(&self) -> bool {
        let up = |process: &Process| matches!(process.state, State::Alive { .. } | State::Done);
        self.processes.iter().all(up)
    }

    /// Whether somebody is on the way to the point that awaits them.
    pub(crate) fn is_armed(&self) -> bool {
        let late = self.orders.time.since_begin() > self.orders.armed_for;
        let waits = |process: &Process| {
            process.armed.is_some() && matches!(process.state, State::Alive { shot: false, .. })
        };
        !late && self.processes.iter().any(waits)
    }

    /// Kills whoever lives, at the end of a trial.
    pub(crate) fn end(&mut self) {
        for process in &mut self.processes {
            if let State::Alive { pid, .. } | State::Stopped { pid, .. } = process.state {
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::empty());
                self.log.write(What::Killed(process.present()));
            }
            process.state = State::Done;
        }
    }

    fn hit(&mut self, who: Who, how: How, now: Duration) {
        let Fleet {
            processes,
            struck,
            log,
            ..
        } = self;
        for process in processes {
            let meant = match who {
                Who::All => true,
                Who::One(number) => process.number == number,
                Who::Workers => process.role == Role::Worker,
            };
            let State::Alive { pid, shot: false } = process.state else {
                continue;
            };
            if !meant {
                continue;
            }
            struck.push(Struck { point: None, how });
            match how {
                How::Kill => {
                    let _ = kill_process(pid, Signal::KILL);
                    process.state = State::Alive { pid, shot: true };
                }
                How::Stop(ms) => {
                    let _ = kill_process(pid, Signal::STOP);
                    log.write(What::Paused(process.present()));
                    let until = now + Duration::from_millis(ms);
                    process.state = State::Stopped { pid, until };
                }
            }
        }
    }

    fn look_after(&mut self, index: usize, now: Duration) -> Result<(), String> {
        let Some(process) = self.processes.get_mut(index) else {
            return Ok(());
        };
        match process.state {
            State::Done => {}
            State::Dead { again } if again <= now => self.start(index)?,
            State::Dead { .. } => {}
            State::Stopped { pid, until } if until <= now => {
                self.log.write(What::Resumed(process.present()));
                let _ = kill_process(pid, Signal::CONT);
                process.state = State::Alive { pid, shot: false };
            }
            State::Stopped { .. } => {}
            State::Alive { pid, shot } => {
                let options = WaitOptions::NOHANG | WaitOptions::UNTRACED;
                let news = waitpid(Some(pid), options).map_err(|error| error.to_string())?;
                if let Some((_, status)) = news {
                    self.has_changed(index, (pid, shot), status, now);
                }
            }
        }
        Ok(())
    }

    fn has_changed(&mut self, index: usize, was: (Pid, bool), status: WaitStatus, now: Duration) {
        let (pid, shot) = was;
        let gone = Duration::from_millis(self.choices.between(2, GONE_LIMIT_MS));
        let Some(process) = self.processes.get_mut(index) else {
            return;
        };
        let life = process.present();
        let armed = process.armed.take();
        if status.stopped() {
            self.log.write(What::Paused(life));
            let stop = match &armed {
                Some((_, How::Stop(ms))) => Duration::from_millis(*ms),
                _ => Duration::ZERO,
            };
            process.state = State::Stopped {
                pid,
                until: now + stop,
            };
        } else if status.exit_status() == Some(0) && process.role == Role::Client {
            process.state = State::Done;
            return;
        } else {
            self.log.write(What::Killed(life));
            process.state = State::Dead { again: now + gone };
            if status.terminating_signal() != Some(Signal::KILL.as_raw()) {
                let told = std::fs::read_to_string(self.orders.folder.join(errors_of(life)));
                let told = told.unwrap_or_default();
                self.fallen.push(format!(
                    "process {} ended by itself: {status:?} {told}",
                    life.process
                ));
                return;
            }
        }
        if !shot && let Some((point, how)) = armed {
            let point = Some(point);
            self.struck.push(Struck { point, how });
        }
    }

    fn start(&mut self, index: usize) -> Result<(), String> {
        let Orders {
            plan,
            folder,
            place,
            time,
            ..
        } = &self.orders;
        let Some(process) = self.processes.get_mut(index) else {
            return Ok(());
        };
        process.life += 1;
        let life = process.present();
        let setup = Setup {
            role: process.role,
            folder: folder.clone(),
            place: place.clone(),
            process: life.process,
            life: life.incarnation,
            seed: plan.seed,
            time: *time,
            calm_from: self.orders.calm_from,
            lossy: plan.lossy,
            acts: self.orders.acts / u64::from(life.incarnation),
            disturbed: self.orders.disturbed,
            crowd: plan.crowd,
            bug: self.orders.bug.clone(),
        };
        let setup = serde_json::to_string(&setup).map_err(|error| error.to_string())?;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let errors = File::create(folder.join(errors_of(life)));
        let errors = errors.map_err(|error| error.to_string())?;
        let passed = folder.join("passed").join(format!("{}", life.process));
        let until = time.machine_ns_after(self.orders.armed_for);
        let mut command = Command::new(program);
        command
            .args(["process", &setup])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .env(points::PASSED_VARIABLE, passed)
            .env(points::UNTIL_VARIABLE, until.to_string())
            .env_remove(points::CRASH_VARIABLE);
        process.armed = None;
        for blow in &plan.blows {
            let Blow::Point {
                process: number,
                life: of_life,
                point,
                hit,
                how,
            } = blow
            else {
                continue;
            };
            if (*number, *of_life) == (life.process, life.incarnation) {
                let end = match how {
                    How::Kill => "",
                    How::Stop(_) => ":stop",
                };
                command.env(points::CRASH_VARIABLE, format!("{point}:{hit}{end}"));
                process.armed = Some((point.clone(), *how));
            }
        }
        self.log.write(What::Started(life));
        let child = command.spawn().map_err(|error| error.to_string())?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or("a process without a number")?;
        process.state = State::Alive { pid, shot: false };
        Ok(())
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.end();
    }
}

impl Process {
    fn present(&self) -> Life {
        Life {
            process: self.number,
            incarnation: self.life,
        }
    }
}

/// Where a process says why it ended by itself.
fn errors_of(life: Life) -> String {
    format!("{}.{}.stderr", life.process, life.incarnation)
}
