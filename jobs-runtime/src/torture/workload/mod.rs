//! What the torture tests run: jobs, clients and an operator, all made from seeds, and the world
//! that they touch. The simulator and the crash harness use the same; so no body assumes virtual
//! time, and every effect goes through [`World::touch`].

mod body;
mod choices;
mod client;
mod jobs;
mod operator;
mod schedules;
mod script;
mod ticks;
mod world;

pub use choices::Choices;
pub use client::Client;
pub use jobs::limits;
pub use operator::Operator;
pub use script::{Act, Script};
pub use ticks::{SCHEDULE, TICKS_EVERY, make_ticks};
pub(crate) use ticks::{make_all_ticks, torture_scheduled};
pub use world::World;
