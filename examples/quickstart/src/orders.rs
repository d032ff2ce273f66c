//! The file of orders: read and checked as a whole, before anything is written. What is wrong
//! becomes a report that shows the place. What the orders then do is not known here.

mod form;
mod report;
#[cfg(test)]
mod tests;

use crate::order::Order;
use form::Entry;
use jobs_runtime::Result;
pub(crate) use report::BadOrders;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The orders that come with the program.
const SHIPPED: &str = include_str!("../orders.json");
/// Most orders in one file: each has its lines in the terminal.
const MAX_ORDERS: usize = 100;
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// One order of the file.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) order: Order,
    /// Whether the payment provider, which this program plays, will confirm the payment.
    pub(crate) pays: bool,
}

/// The orders of a file, or those that come with the program. What is wrong with them is a
/// [`BadOrders`].
pub(crate) fn read(file: Option<&Path>) -> Result<Vec<Listed>> {
    let Some(file) = file else {
        return parse("orders.json", SHIPPED);
    };
    let name = file.display().to_string();
    let size = fs::metadata(file).map_err(|why| BadOrders::unreadable(&name, &why))?;
    if size.len() > MAX_BYTES {
        return Err(BadOrders::too_large(&name, MAX_BYTES).into());
    }
    let text = fs::read_to_string(file).map_err(|why| BadOrders::unreadable(&name, &why))?;
    parse(&name, &text)
}

fn parse(name: &str, text: &str) -> Result<Vec<Listed>> {
    let entries: Vec<Entry> =
        serde_json::from_str(text).map_err(|why| BadOrders::malformed(name, text, &why))?;
    if entries.is_empty() || entries.len() > MAX_ORDERS {
        return Err(BadOrders::count(name, text, entries.len(), MAX_ORDERS).into());
    }
    let mut seen = BTreeMap::new();
    for entry in &entries {
        *seen.entry(entry.id.as_str()).or_insert(0) += 1;
    }
    if let Some((id, _)) = seen.into_iter().find(|(_, times)| *times > 1) {
        return Err(BadOrders::twice(name, text, id).into());
    }
    Ok(entries.into_iter().map(Listed::from).collect())
}
