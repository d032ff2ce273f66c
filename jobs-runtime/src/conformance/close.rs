//! Close: what comes after it is told so, and changes nothing.

use super::{Failure, Result, Subject};
use crate::Error;
use crate::contract::JobFilter;

case!(a_closed_store_says_so);
async fn a_closed_store_says_so(s: Subject) -> Result {
    s.enqueue(&s.job("mail")).await?;
    s.driver().close().await;
    let driver = s.driver();
    expect_unavailable(driver.enqueue(&[s.job("mail")], None).await)?;
    expect_unavailable(driver.claim(&s.request(1)).await)?;
    expect_unavailable(driver.publish(&[s.event("paid")], None).await)?;
    expect_unavailable(driver.stats(None).await)?;
    expect_unavailable(driver.settings("").await)?;
    let list = s.inspect().list(&JobFilter::default(), None, 1).await;
    expect_unavailable(list)
}

case!(a_store_can_be_closed_twice);
async fn a_store_can_be_closed_twice(s: Subject) -> Result {
    s.driver().close().await;
    s.driver().close().await;
    Ok(())
}

case!(a_migration_can_be_run_again);
async fn a_migration_can_be_run_again(s: Subject) -> Result {
    s.enqueue(&s.job("mail")).await?;
    s.driver().migrate().await?;
    s.driver().migrate().await?;
    s.claim_one().await?;
    Ok(())
}

fn expect_unavailable<T>(answer: std::result::Result<T, Error>) -> Result {
    match answer {
        Err(error) => {
            check_eq!(error.code(), "X_DRIVER_UNAVAILABLE");
            Ok(())
        }
        Ok(_) => Err(Failure::here("a closed store answered")),
    }
}
