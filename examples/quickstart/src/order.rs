//! The job: an order, from the reserved stock to the thank-you. What its steps do to the world is
//! in `shop`; nothing here knows of files, terminals or crashes.

use crate::shop::Shop;
use jobs_runtime::prelude::*;
use schemars::JsonSchema;

/// What was ordered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Order {
    /// The shop's own number for it.
    pub(crate) id: String,
    /// Who is thanked.
    pub(crate) customer: String,
    /// What is packed, in words.
    pub(crate) goods: String,
    /// What is charged.
    pub(crate) cents: u64,
}

/// The payment provider has the money.
#[derive(Serialize, Deserialize, JsonSchema, Event)]
#[event(key = String)]
pub(crate) struct PaymentConfirmed {
    /// The provider's number for it.
    pub(crate) receipt: String,
}

/// How an order ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Outcome {
    /// The payment did not come in time; the stock is free again.
    Released,
    /// It is on its way.
    Shipped {
        /// The carrier's number for it.
        parcel: String,
    },
}

/// Sells one order. A worker that dies keeps it from the others for two seconds.
#[job(idempotency = "order:{order.id}", visibility_timeout = "2s")]
pub(crate) async fn sell(order: Order, shop: State<Shop>) -> Result<Outcome> {
    step!("reserve", shop.reserve(&order)).await?;
    step!("charge", shop.charge(&order)).await?;

    let payment = step!(
        "payment",
        event = PaymentConfirmed,
        key = &order.id,
        timeout = "5s"
    );
    let Some(payment) = payment.await? else {
        step!("release", shop.release(&order)).await?;
        return Ok(Outcome::Released);
    };

    let parcel = step!("ship", shop.ship(&order, &payment.receipt)).await?;
    step!("pause", sleep = "2s").await;
    step!("thank", shop.thank(&order, &parcel)).await?;
    Ok(Outcome::Shipped { parcel })
}
