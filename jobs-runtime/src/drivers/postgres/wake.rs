//! Hints: what has happened here is told to others by NOTIFY, and what they did comes by LISTEN.
//! Without a connection that can listen, workers find their work at the next poll.

use super::Shared;
use crate::contract::WakeUp;
use sqlx::PgConnection;
use sqlx::postgres::PgListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long to wait before listening again after the connection was lost for good.
const RETRY: Duration = Duration::from_secs(5);

const ALL: [(WakeUp, &str); 4] = [
    (WakeUp::Ended, "ended"),
    (WakeUp::Freed, "freed"),
    (WakeUp::Inbox, "inbox"),
    (WakeUp::Ready, "ready"),
];

/// The channel of a store.
pub(super) fn channel(schema: &str) -> String {
    format!("jobs_{schema}")
}

/// Tells others what has happened, as soon as the transaction of this connection is committed; and
/// this client as well, if it is not the one that speaks.
pub(super) async fn tell(
    connection: &mut PgConnection,
    shared: &Shared,
    hints: &[WakeUp],
    speaker: Option<u64>,
) -> Result<(), sqlx::Error> {
    if hints.is_empty() {
        return Ok(());
    }
    let (channel, text) = notice(shared, hints, speaker);
    let told = sqlx::query("SELECT pg_notify($1, $2)")
        .bind(channel)
        .bind(text);
    told.execute(connection).await.map(drop)
}

/// The channel and the text for hints: who speaks, and what has happened.
fn notice(shared: &Shared, hints: &[WakeUp], speaker: Option<u64>) -> (String, String) {
    let mut text = speaker.map_or_else(|| "-".to_owned(), |client| format!("{client:x}"));
    for (hint, word) in ALL {
        if hints.contains(&hint) {
            text.push(' ');
            text.push_str(word);
        }
    }
    (channel(&shared.sql.schema), text)
}

/// Listens until it is told to stop.
pub(super) fn listen(shared: Arc<Shared>) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            if let Err(error) = pass_on(&shared).await {
                tracing::debug!(%error, "no hints from other clients for now");
            }
            tokio::time::sleep(RETRY).await;
        }
    })
}

async fn pass_on(shared: &Shared) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(&shared.listening).await?;
    listener.listen(&channel(&shared.sql.schema)).await?;
    let own = format!("{:x}", shared.client);
    loop {
        // A word that this version does not know is passed over: one bad notice ends nothing.
        let notice = listener.recv().await?;
        let mut words = notice.payload().split(' ');
        if words.next() == Some(own.as_str()) {
            continue;
        }
        for word in words {
            let known = ALL.iter().find(|(_, own)| *own == word);
            if let Some((hint, _)) = known {
                // Nobody listens: nobody needs to be told.
                drop(shared.wake_ups.send(*hint));
            }
        }
    }
}
