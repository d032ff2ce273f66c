//! A job defined wherever an item can stand.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::{Event, Job, Result, job, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

const COUNT: usize = {
    #[job(idempotency = none)]
    async fn in_a_const(_input: u64) -> Result<()> {
        step!("work", work()).await?;
        Ok(())
    }
    0
};

static NAME: fn() -> &'static str = {
    #[job(idempotency = none)]
    async fn in_a_static(_input: u64) -> Result<()> {
        Ok(())
    }
    || in_a_static::def().name
};

struct Shop;

impl Shop {
    fn method(&self) -> usize {
        #[steps]
        async fn helper() -> Result<u64> {
            Ok(step!("work", work()).await?)
        }

        #[job(idempotency = none)]
        async fn in_a_method(_input: u64) -> Result<u64> {
            step!("helper", steps = helper()).await
        }
        in_a_method::def().all_steps().len()
    }
}

trait Named {
    fn name() -> &'static str {
        #[job(idempotency = none)]
        async fn in_a_trait(_input: u64) -> Result<()> {
            Ok(())
        }
        in_a_trait::def().name
    }
}

impl Named for Shop {}

fn generic<T>(_: T) -> &'static str {
    #[derive(serde::Serialize, serde::Deserialize, Event)]
    #[event(key = none)]
    struct InAGenericFunction;

    #[job(idempotency = none)]
    async fn in_a_generic_function(_input: u64) -> Result<()> {
        step!("paid", event = InAGenericFunction).await?;
        Ok(())
    }
    in_a_generic_function::def().name
}

fn main() {
    let closure = || {
        #[job(idempotency = none)]
        async fn in_a_closure(_input: u64) -> Result<()> {
            Ok(())
        }
        in_a_closure::def().name
    };
    match COUNT {
        0 => {
            #[job(idempotency = none)]
            async fn in_an_arm(_input: u64) -> Result<()> {
                Ok(())
            }
            let _ = in_an_arm(1);
        }
        _ => {}
    }
    assert_eq!((NAME(), closure()), ("in_a_static", "in_a_closure"));
    assert_eq!((Shop.method(), Shop::name(), generic(1)), (1, "in_a_trait", "in_a_generic_function"));
    assert_eq!(jobs_runtime::private::JOBS_V0.len(), 7);
}
