//! The world outside: a warehouse, a payment provider, a carrier, a mail server. All of them are
//! one text file here, a line for each thing that was done, so that anybody can see that nothing
//! was done twice. It never goes on by itself: the job decides what is done, and when.

use crate::crash::Crash;
use crate::order::Order;
use jobs_runtime::Result;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// What a call to another service takes.
const CALL: Duration = Duration::from_millis(100);

/// What the steps of an order do their work with.
pub(crate) struct Shop {
    /// The file of effects.
    effects: PathBuf,
    crash: Crash,
}

impl Shop {
    pub(crate) fn new(effects: PathBuf, crash: Crash) -> Self {
        Shop { effects, crash }
    }

    /// Sets the goods aside.
    pub(crate) async fn reserve(&self, order: &Order) -> Result<()> {
        self.perform("reserve", order, &order.goods).await
    }

    /// Asks the payment provider for the money; it answers later, by an event.
    pub(crate) async fn charge(&self, order: &Order) -> Result<()> {
        self.perform("charge", order, &money(order.cents)).await
    }

    /// Puts the goods back, and tells the provider to forget it.
    pub(crate) async fn release(&self, order: &Order) -> Result<()> {
        self.perform("release", order, &order.goods).await
    }

    /// Hands the goods to the carrier; gives the number of the parcel.
    pub(crate) async fn ship(&self, order: &Order, receipt: &str) -> Result<String> {
        self.perform("ship", order, receipt).await?;
        Ok(format!("parcel-{}", order.id))
    }

    /// Writes to the customer.
    pub(crate) async fn thank(&self, order: &Order, parcel: &str) -> Result<()> {
        let text = format!("{}, {parcel} is on its way", order.customer);
        self.perform("thank", order, &text).await
    }

    /// One line, appended by one write: a process that is killed leaves all of it or nothing.
    async fn perform(&self, effect: &str, order: &Order, detail: &str) -> Result<()> {
        tokio::time::sleep(CALL).await;
        let line = format!("{effect} {} {detail}\n", order.id);
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.effects)?;
        file.write_all(line.as_bytes())?;
        self.crash.performed(effect, &order.id);
        Ok(())
    }
}

/// An amount as people write it.
pub(crate) fn money(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
