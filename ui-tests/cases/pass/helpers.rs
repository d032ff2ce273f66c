//! Helpers under hostile lints: with lifetimes and patterns, in other modules, in helpers.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, elided_lifetimes_in_paths, trivial_bounds, unreachable_pub)]

use jobs_runtime::{Job, Result, State, StepError, job, step, steps};
use serde::{Deserialize, Serialize};

/// An order.
#[derive(Serialize, Deserialize)]
pub struct Order {
    /// Its number.
    pub id: u64,
    /// What is in it.
    pub items: Vec<String>,
}

/// The bank.
pub struct Bank;

async fn charge(id: u64) -> Result<u64> {
    Ok(id)
}

mod shop {
    use super::{Bank, Order, Result, charge, step, steps};

    /// Bills an order.
    #[steps]
    pub(crate) async fn bill<'o>(order: &'o Order, _bank: &Bank, totals: &mut Vec<u64>) -> Result<&'o str> {
        for item in &order.items {
            totals.push(step!("item:{item}", was = ["part:{item}"], charge(order.id)).await?);
        }
        Ok(order.items.first().map_or("", |item| item))
    }

    #[steps]
    pub(super) async fn around((left, mut right): (u64, u64)) {
        right += left;
        step!("nap", sleep = "1h", was = ["rest"]).await;
        let _ = step!("left", effect = at_most_once, move charge(right)).await;
    }
}

use shop::bill;

#[steps]
async fn r#try(order: &Order, bank: &Bank) -> std::result::Result<usize, StepError> {
    let mut totals = Vec::new();
    let _name = step!("inner", steps = bill(order, bank, &mut totals)).await;
    step!("around", steps = crate::shop::around((1, 2))).await;
    Ok(totals.len())
}

/// Ships an order.
#[job(idempotency = "helped:{input.id}", removed = ["pack:{id}", "old/pack"])]
pub async fn helped(input: Order, bank: State<Bank>) -> Result<usize> {
    let mut totals = Vec::new();
    let name = step!("bill", was = ["invoice"], steps = bill(&input, &bank, &mut totals)).await?;
    let count = step!("again:{name}", steps = r#try(&input, &bank)).await?;
    let (a, b) = tokio::join!(
        step!("left", steps = shop::around((1, 2))),
        step!("right", steps = shop::around((3, step!("four", charge(4)).await?))),
    );
    let ((), ()) = (a, b);
    let calls = input.items.iter().map(|item| step!("item:{item}", steps = r#try(&input, &bank)));
    futures::future::try_join_all(calls).await?;
    Ok(count)
}

fn main() {
    let names: Vec<String> = helped::def().all_steps().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[0], "bill/item:{item}");
    assert!(names.contains(&"again:{name}/around/nap".to_owned()), "{names:?}");
}
