//! The jobs that are looked at: each form of a step, a helper, types with a schema and without.

use jobs_runtime::prelude::*;
use schemars::JsonSchema;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Parcel {
    pub(crate) id: u64,
    #[serde(default)]
    pub(crate) note: Option<String>,
}

/// Without a schema, on purpose.
#[derive(Serialize, Deserialize)]
pub(crate) struct Receipt {
    pub(crate) no: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) enum Outcome {
    Sent,
    Kept { until: String },
}

#[derive(Serialize, Deserialize, JsonSchema, Event)]
#[event(name = "parcel-scanned", was = ["scanned"], key = u64, ttl = "7d")]
pub(crate) struct Scanned {
    pub(crate) place: String,
}

#[job(name = "label.print", was = ["label"], idempotency = none)]
pub(crate) async fn print_label(parcel: u64) -> Result<Receipt> {
    step!("print", effect = at_most_once, receipt(parcel))
        .await
        .map_err(Into::into)
}

#[steps]
async fn pack(parcel: &Parcel) -> Result<u32> {
    let mut grams = 0;
    for layer in 0..2_u32 {
        grams += step!("wrap:{layer}", was = ["fold:{layer}"], wrap(parcel, layer)).await?;
    }
    Ok(grams)
}

#[job(
    idempotency = "parcel:{parcel.id}",
    queue = "parcels",
    attempts = 3,
    backoff = "1s..1m",
    timeout = "10m",
    removed = ["insure"]
)]
pub(crate) async fn send_parcel(parcel: Parcel) -> Result<Outcome> {
    let receipt = step!("label", job = print_label(parcel.id)).await?;
    let grams = step!("packing", was = ["boxing"], steps = pack(&parcel)).await?;
    step!("rest", sleep = "1h").await;
    let seen = step!("scan", event = Scanned, key = parcel.id, timeout = "3d").await?;
    let kept = step!("weigh", { Ok((receipt.no.clone(), grams)) }).await?;
    match seen {
        Some(_) => Ok(Outcome::Sent),
        None => Ok(Outcome::Kept { until: kept.0 }),
    }
}

async fn receipt(parcel: u64) -> Result<Receipt> {
    let no = parcel.to_string();
    Ok(Receipt { no })
}

async fn wrap(parcel: &Parcel, layer: u32) -> Result<u32> {
    let note = parcel.note.as_ref().map_or(0, String::len);
    Ok(layer + u32::try_from(note).unwrap_or(0))
}
