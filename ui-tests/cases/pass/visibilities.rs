//! Every visibility a function can have; the type beside it has the same.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub, private_interfaces)]

mod outer {
    pub(in crate::outer) mod inner {
        use jobs_runtime::{Result, job, step, steps};

        #[derive(serde::Serialize, serde::Deserialize)]
        pub(in crate::outer) struct Order {
            pub(super) id: u64,
        }

        #[derive(serde::Serialize, serde::Deserialize, jobs_runtime::Event)]
        #[event(name = "visible-paid", key = u64)]
        pub(in crate::outer) struct Paid;

        async fn work() -> Result<u64> {
            Ok(1)
        }

        #[job(idempotency = "in-path:{input.id}")]
        pub(in crate::outer) async fn in_path(input: Order) -> Result<Order> {
            step!("paid", event = Paid, key = input.id).await?;
            step!("billing", steps = super::inner::billed(&input)).await?;
            Ok(input)
        }

        #[steps]
        pub(in crate::outer) async fn billed(order: &Order) -> Result<u64> {
            Ok(step!("work", work()).await? + order.id)
        }

        #[job(idempotency = "in-super:{id}")]
        pub(super) async fn in_super(id: u64) -> Result<()> {
            step!("billing", steps = billed(&Order { id })).await?;
            Ok(())
        }

        #[job(idempotency = none)]
        pub(self) async fn in_self(_input: ()) -> Result<()> {
            Ok(())
        }

        pub(super) fn each() {
            let _ = (in_path(Order { id: 1 }), in_super(1), in_self(()));
        }
    }

    pub(super) fn each() {
        inner::each();
        let _ = (inner::in_path(inner::Order { id: 2 }), inner::in_super(2));
    }
}

fn main() {
    outer::each();
}
