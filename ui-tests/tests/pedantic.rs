//! A user's crate that is linted as strictly as clippy can: `scripts/test clippy` must stay silent
//! about what the macros write. Nothing runs here but a look at what was defined.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(
    clippy::absolute_paths,
    clippy::allow_attributes,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::clone_on_ref_ptr,
    clippy::default_numeric_fallback,
    clippy::empty_structs_with_brackets,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::items_after_statements,
    clippy::let_underscore_must_use,
    clippy::let_underscore_untyped,
    clippy::map_err_ignore,
    clippy::missing_docs_in_private_items,
    clippy::missing_inline_in_public_items,
    clippy::missing_trait_methods,
    clippy::mod_module_files,
    clippy::multiple_inherent_impl,
    clippy::multiple_unsafe_ops_per_block,
    clippy::panic,
    clippy::pub_use,
    clippy::redundant_type_annotations,
    clippy::renamed_function_params,
    clippy::same_name_method,
    clippy::semicolon_inside_block,
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::shadow_unrelated,
    clippy::single_call_fn,
    clippy::std_instead_of_core,
    clippy::str_to_string,
    clippy::tests_outside_test_module,
    clippy::unreachable,
    clippy::unseparated_literal_suffix,
    clippy::unused_trait_names,
    clippy::unwrap_used,
    clippy::use_debug,
    clippy::wildcard_enum_match_arm
)]

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use jobs_runtime::{Event, Job as _, JobContext, Request, Result, State, job, step, steps};
    use serde::{Deserialize, Serialize};
    use tokio::task::yield_now;
    use tokio::time::sleep;

    /// An order.
    #[derive(Debug, Clone, Serialize, Deserialize)]
    struct Order {
        /// Its number.
        id: u64,
        /// What is in it.
        items: Vec<u64>,
    }

    /// It was paid.
    #[derive(Debug, Serialize, Deserialize, Event)]
    #[event(name = "pedantic-paid", was = ["pedantic-payed"], key = u64, ttl = "7d")]
    struct Paid {
        /// By whom.
        by: String,
    }

    /// The bank.
    struct Bank {
        /// What it asks.
        fee: u64,
    }

    impl Bank {
        /// Charges.
        async fn charge(&self, id: u64) -> Result<u64> {
            yield_now().await;
            Ok(id.saturating_add(self.fee))
        }
    }

    /// Bills an order.
    #[steps]
    async fn pedantic_bill(order: &Order, bank: &Bank) -> Result<u64> {
        let mut sum = 0_u64;
        for item in &order.items {
            let charged = step!("item:{item}", attempts = 2, bank.charge(*item));
            sum = sum.saturating_add(charged.await?);
        }
        Ok(sum)
    }

    /// Ships an order.
    #[job(
        idempotency = "pedantic-ship:{input.id}",
        was = ["pedantic-send"],
        queue = "orders",
        priority = 3,
        tenant = "{input.id}",
        attempts = 7,
        backoff = "1s..10m",
        timeout = "10m",
        visibility_timeout = "1m",
        step_timeout = "30s",
        unique_for = "1h",
        on_conflict = replace,
        expires = "1d",
        on_cancel = pedantic_undo,
        removed = ["pack"]
    )]
    async fn pedantic_ship(input: Order, bank: State<Bank>, job: JobContext) -> Result<u64> {
        let billed = step!("billing", steps = pedantic_bill(&input, &bank)).await?;
        let once = step!("once", effect = at_most_once, bank.charge(1)).await?;
        let moved = step!("moved", move Bank { fee: 1 }.charge(2)).await;
        let block = step!("block", {
            let one = bank.charge(1).await?;
            Ok(one.saturating_add(1))
        })
        .await?;
        let named = step!(
            "named:{billed}",
            was = ["numbered:{billed}"],
            bank.charge(3)
        )
        .await?;
        step!("nap", sleep = "1h").await;
        step!("due", sleep_until = job.now()).await;
        let paid = step!("paid", event = Paid, key = input.id, timeout = "1d").await?;
        let sure = step!(
            "sure",
            event = Paid,
            key = &input.id,
            required,
            since = step
        )
        .await?;
        step!("undo", job = pedantic_undo(input.clone())).await?;
        let handle = step!("detached", job = pedantic_undo(input.clone()), detached).await?;
        job.log(&format!("{} {} {}", handle.id(), sure.by, paid.is_some()));
        let sums = [billed, once, moved?, block, named];
        Ok(sums.into_iter().fold(0, u64::saturating_add))
    }

    /// Undoes it.
    #[job(idempotency = |order| order.id, allow = (raw_await, unstable_values))]
    async fn pedantic_undo(order: Order) -> Result<()> {
        sleep(Duration::from_millis(order.id)).await;
        Ok(())
    }

    #[test]
    fn the_strict_crate_defines_its_jobs() {
        assert_eq!(pedantic_ship::def().steps.len(), 11);
        let _request = pedantic_ship(Order {
            id: 1,
            items: Vec::new(),
        });
        let _undo: Request<pedantic_undo> = pedantic_undo(Order {
            id: 1,
            items: Vec::new(),
        });
    }
}
