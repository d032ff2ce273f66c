//! The world outside: an agency that takes bookings and money. It is one text file here, a line
//! for each thing that was done, so that anybody can see that nothing was done twice.

use crate::crash::Crash;
use crate::trip::{Booking, Trip};
use jobs_runtime::{Failure, Result};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// The town without cars.
const WITHOUT_CARS: &str = "Venice";

/// What the steps of a trip do their work with.
pub(crate) struct Agency {
    ledger: PathBuf,
    crash: Crash,
}

impl Agency {
    pub(crate) fn new(ledger: PathBuf, crash: Crash) -> Self {
        Agency { ledger, crash }
    }

    /// Books a part and takes the money for it.
    pub(crate) async fn book(&self, trip: &Trip, part: &str) -> Result<Booking> {
        let step = format!("book:{part}");
        if part == "car" && trip.town == WITHOUT_CARS {
            self.note(&step, trip, "refused")?;
            return Err(Failure::msg(format!("there are no cars in {}", trip.town)));
        }
        self.note(&step, trip, "charged")?;
        Ok(Booking {
            part: part.to_owned(),
            number: format!("{part}-{}", trip.id),
        })
    }

    /// Gives a booking up and the money back.
    pub(crate) async fn cancel(&self, trip: &Trip, booking: &Booking) -> Result<()> {
        let step = format!("cancel:{}", booking.part);
        self.note(&step, trip, &format!("refunded {}", booking.number))
    }

    /// Writes to the traveller.
    pub(crate) async fn write(&self, trip: &Trip, text: &str) -> Result<()> {
        let step = match text {
            "we are sorry" => "apologise",
            _ => "confirm",
        };
        self.note(step, trip, text)
    }

    /// One line, appended by one write: a process that is killed leaves all of it or nothing.
    fn note(&self, step: &str, trip: &Trip, what: &str) -> Result<()> {
        let line = format!("{} {step} {what}\n", trip.id);
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.ledger)?;
        file.write_all(line.as_bytes())?;
        print!("  {line}");
        self.crash.performed(step);
        Ok(())
    }
}
