//! Turns: tenants of one queue and priority are served one after the other, so that none waits for
//! another's backlog (R9).

use super::holder::Holder;
use super::shapes::{JobShape, some};
use super::{Result, Subject};
use crate::contract::TenantSetting;
use crate::core::{Millis, NewJob};

fn tenants(claimed: &[Holder]) -> Vec<&str> {
    claimed
        .iter()
        .filter_map(|holder| holder.claimed.job.spec.tenant.as_deref())
        .collect()
}

case!(a_tenant_with_a_backlog_delays_another_by_no_more_than_a_round);
async fn a_tenant_with_a_backlog_delays_another_by_no_more_than_a_round(s: Subject) -> Result {
    some(&s, 500, || s.job("mail").tenant("long")).await?;
    check_eq!(s.claim(3).await?.len(), 3);
    s.advance(Millis::secs(1));
    some(&s, 1, || s.job("mail").tenant("short")).await?;
    let next = s.claim(2).await?;
    check!(tenants(&next).contains(&"short"), "{:?}", tenants(&next));
    Ok(())
}

case!(turns_go_on_from_claim_to_claim);
async fn turns_go_on_from_claim_to_claim(s: Subject) -> Result {
    for tenant in ["a", "b", "c"] {
        some(&s, 5, || s.job("mail").tenant(tenant)).await?;
    }
    let mut order = Vec::new();
    for _ in 0..9 {
        order.extend(tenants(&s.claim(1).await?).into_iter().map(str::to_owned));
    }
    for round in order.chunks(3) {
        let mut round = round.to_vec();
        round.sort_unstable();
        check_eq!(round, ["a", "b", "c"]);
    }
    check_eq!(order.len(), 9);
    Ok(())
}

case!(a_weight_is_a_tenants_share_of_each_round);
async fn a_weight_is_a_tenants_share_of_each_round(s: Subject) -> Result {
    s.write_setting(&TenantSetting::key("gold"), br#"{"weight":3}"#, 0)
        .await?;
    for tenant in ["gold", "iron"] {
        some(&s, 20, || s.job("mail").tenant(tenant)).await?;
    }
    let mut gold = 0;
    for _ in 0..16 {
        let one = s.claim(1).await?;
        gold += tenants(&one).iter().filter(|t| **t == "gold").count();
    }
    check_eq!(gold, 12);
    Ok(())
}

case!(within_a_tenant_the_order_is_that_of_the_jobs, needs ordered_claim);
async fn within_a_tenant_the_order_is_that_of_the_jobs(s: Subject) -> Result {
    let mut expected = Vec::new();
    for n in 0..6 {
        let job = s.job("mail").tenant("a").delay(Millis(6 - n));
        expected.push(job.spec.id);
        s.enqueue(&job).await?;
    }
    expected.reverse();
    s.advance(Millis::secs(1));
    let mut taken = Vec::new();
    for _ in 0..3 {
        taken.extend(s.claim(2).await?.iter().map(Holder::id));
    }
    check_eq!(taken, expected);
    Ok(())
}

case!(a_turn_never_goes_before_a_priority);
async fn a_turn_never_goes_before_a_priority(s: Subject) -> Result {
    some(&s, 3, || s.job("mail").tenant("a").priority(1)).await?;
    some(&s, 3, || s.job("mail").tenant("b").priority(2)).await?;
    let claimed = s.claim(4).await?;
    check_eq!(tenants(&claimed), ["a", "a", "a", "b"]);
    Ok(())
}

case!(a_thousand_and_more_tenants_are_all_served);
async fn a_thousand_and_more_tenants_are_all_served(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..1_500)
        .map(|n| s.job("mail").tenant(&format!("t{n}")))
        .collect();
    s.enqueue_all(&jobs).await?;
    let mut served = std::collections::BTreeSet::new();
    for _ in 0..15 {
        served.extend(s.claim(100).await?.iter().map(Holder::id));
    }
    check_eq!(served.len(), 1_500);
    Ok(())
}
