//! The job: a trip of three bookings. Each one costs money at once; when one is refused, those
//! before it are cancelled in reverse. What a booking does to the world is in `agency`.

use crate::agency::Agency;
use jobs_runtime::prelude::*;

/// What is booked, in this order.
pub(crate) const PARTS: [&str; 3] = ["flight", "hotel", "car"];

/// Where somebody wants to go.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Trip {
    /// The traveller's own number for it.
    pub(crate) id: String,
    /// The town.
    pub(crate) town: String,
}

/// A part of a trip that is booked and paid.
#[derive(Serialize, Deserialize)]
pub(crate) struct Booking {
    /// One of [`PARTS`].
    pub(crate) part: String,
    /// The agency's number for it.
    pub(crate) number: String,
}

/// How a trip ended.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// All parts are booked.
    Booked,
    /// One was refused, and the others are cancelled.
    Cancelled {
        /// What the agency said.
        because: String,
    },
}

/// Books one trip, all of it or nothing. A worker that dies keeps it from the others for half a
/// second.
#[job(
    idempotency = "trip:{trip.id}",
    visibility_timeout = "500ms",
    step_timeout = "10s"
)]
pub(crate) async fn book_trip(trip: Trip, agency: State<Agency>) -> Result<Outcome> {
    let mut booked: Vec<Booking> = Vec::new();
    let mut refusal = None;
    for part in PARTS {
        match step!("book:{part}", agency.book(&trip, part)).await {
            Ok(booking) => booked.push(booking),
            Err(why) => {
                refusal = Some(why);
                break;
            }
        }
    }
    let Some(refusal) = refusal else {
        step!("confirm", agency.write(&trip, "have a good trip")).await?;
        return Ok(Outcome::Booked);
    };
    // The refusal is handled, so it is history: whatever happens from here on, no replay and no
    // later attempt asks for this part again beside the cancellations.
    for booking in booked.iter().rev() {
        step!("cancel:{booking.part}", agency.cancel(&trip, booking)).await?;
    }
    step!("apologise", agency.write(&trip, "we are sorry")).await?;
    Ok(Outcome::Cancelled {
        because: refusal.message().to_owned(),
    })
}
