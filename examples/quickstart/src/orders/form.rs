//! The form of an order in the file. Stricter than what the job stores: each value is checked
//! where it is read, so that serde_json knows the line and the column of a wrong one.

use super::Listed;
use crate::order::Order;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// The longest order number, in bytes: it has a column in the terminal.
const MAX_ID_BYTES: usize = 16;
/// Most pieces of one item.
const MAX_QUANTITY: u64 = 1_000;
/// The highest price of one piece.
const MAX_CENTS: u64 = 100_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    #[serde(deserialize_with = "id")]
    pub(super) id: String,
    customer: String,
    #[serde(deserialize_with = "at_least_one")]
    items: Vec<Item>,
    #[serde(default = "yes")]
    pays: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    sku: String,
    #[serde(deserialize_with = "quantity")]
    quantity: u64,
    #[serde(deserialize_with = "cents")]
    cents: u64,
}

impl From<Entry> for Listed {
    fn from(entry: Entry) -> Self {
        let goods = entry.items.iter();
        let goods = goods.map(|item| format!("{} {}", item.quantity, item.sku));
        let order = Order {
            id: entry.id,
            customer: entry.customer,
            goods: goods.collect::<Vec<_>>().join(", "),
            cents: entry.items.iter().fold(0, |sum: u64, item| {
                sum.saturating_add(item.quantity * item.cents)
            }),
        };
        Listed {
            order,
            pays: entry.pays,
        }
    }
}

fn yes() -> bool {
    true
}

fn id<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    input.deserialize_str(Id)
}

fn quantity<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    input.deserialize_i64(Number {
        what: "a quantity",
        min: 1,
        max: MAX_QUANTITY,
    })
}

fn cents<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    input.deserialize_i64(Number {
        what: "a price in cents",
        min: 0,
        max: MAX_CENTS,
    })
}

fn at_least_one<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Item>, D::Error> {
    let items = Vec::deserialize(input)?;
    if items.is_empty() {
        return Err(D::Error::invalid_length(0, &"at least one item"));
    }
    Ok(items)
}

/// An order number that can stand in a column, a key and a line of the file of effects.
struct Id;

impl Visitor<'_> for Id {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an order number of 1 to {MAX_ID_BYTES} letters, digits, `-`, `_` or `.`"
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if text.is_empty() || text.len() > MAX_ID_BYTES || !text.chars().all(fits) {
            return Err(E::invalid_value(Unexpected::Str(text), &self));
        }
        Ok(text.to_owned())
    }
}

struct Number {
    what: &'static str,
    min: u64,
    max: u64,
}

impl Visitor<'_> for Number {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from {} to {}", self.what, self.min, self.max)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        if (self.min..=self.max).contains(&number) {
            return Ok(number);
        }
        Err(E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}
