//! The payment provider, played: after a while it tells of each payment, as a webhook would. One
//! customer never pays.

use crate::intake::Placed;
use crate::order::PaymentConfirmed;
use crate::show::Show;
use jobs_runtime::prelude::*;
use std::time::Duration;

/// How long it thinks before each payment.
const THINKS: Duration = Duration::from_millis(700);

/// Publishes the payments that orders still wait for. An event may come before its order waits for
/// it: it is kept until then.
pub(crate) async fn confirm_payments(jobs: &Jobs, placed: &[Placed], show: &Show) -> Result<()> {
    for order in placed.iter().filter(|order| order.will_be_paid) {
        tokio::time::sleep(THINKS).await;
        let receipt = format!("receipt-{}", order.id);
        jobs.publish(PaymentConfirmed { receipt }, order.id.clone())
            .await?;
        show.confirmed(&order.id);
    }
    Ok(())
}
