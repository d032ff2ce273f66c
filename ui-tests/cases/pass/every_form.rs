//! Every form of a step, in one job, inside the combinators of others.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use jobs_runtime::{Event, Handle, Job, JobContext, Result, State, StepError, job, step};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// An order.
#[derive(Serialize, Deserialize)]
pub struct Order {
    /// Its number.
    pub id: u64,
    /// Whose it is.
    pub org_id: String,
    /// What is in it.
    pub items: Vec<Item>,
    /// When it is due.
    pub due_at: SystemTime,
    /// A raw name.
    pub r#type: u8,
}

/// A part of an order.
#[derive(Serialize, Deserialize)]
pub struct Item {
    /// Its number.
    pub id: u32,
}

/// The customer paid.
#[derive(Serialize, Deserialize, Event)]
#[event(name = "paid", was = ["payment"], key = u64, ttl = "7d")]
pub struct Paid {
    /// How much.
    pub cents: u64,
}

/// Something anybody may take.
#[derive(Serialize, Deserialize, Event)]
#[event(key = none)]
pub struct Opened;

/// Events found by a text.
#[derive(Serialize, Deserialize, Event)]
#[event(key = String)]
pub struct Mailed;

/// Sends mail.
pub struct Mailer;

async fn charge(item: &Item) -> Result<u32> {
    Ok(item.id)
}

async fn text(order: &Order) -> std::result::Result<String, std::io::Error> {
    Ok(order.org_id.clone())
}

async fn consume(items: Vec<u32>) -> Result<usize> {
    Ok(items.len())
}

/// Ships an order.
#[job(
    idempotency = "order:{input.id}:{input.r#type}",
    name = "ship-order",
    was = ["ship"],
    queue = "orders",
    priority = 3,
    tenant = "{input.org_id}",
    attempts = 7,
    backoff = "1s..10m",
    timeout = "10m",
    visibility_timeout = "1m",
    step_timeout = "30s",
    removed = ["pack"],
)]
pub async fn ship_order(input: Order, _mailer: State<Mailer>, job: JobContext) -> Result<String> {
    let org = step!("plain", text(&input)).await?;
    let n = step!("block", {
        let one = text(&input).await?;
        let two: u32 = "5".parse()?;
        Ok(one.len() as u32 + two)
    })
    .await?;
    let items = vec![1, 2, n];
    let count = step!("move", move consume(items)).await?;
    let limit = Duration::from_secs(count as u64 + 1);
    for item in &input.items {
        step!("charge:{item.id}", attempts = 3, backoff = "1s..1m", timeout = limit, charge(item)).await?;
    }
    step!("cool-off", sleep = "3d").await;
    step!("computed", sleep = limit).await;
    step!(sleep = "2h").await;
    step!("due", sleep_until = input.due_at).await;
    let paid: Option<Paid> = step!("paid", event = Paid, key = input.id, timeout = "14d", since = step).await?;
    let must: Paid = step!("must", event = Paid, key = &input.id, required).await?;
    let _: Option<Opened> = step!("any", event = Opened).await?;
    let _: Option<Mailed> = step!("text", event = Mailed, key = input.org_id).await?;
    let _: Option<Mailed> = step!("words", event = Mailed, key = "x").await?;

    let (a, b) = tokio::join!(step!("left", text(&input)), step!("right", text(&input)));
    let (c, d) = tokio::try_join!(step!("c", text(&input)), async { step!("d", text(&input)).await })?;
    println!("{:?}", step!("printed", text(&input)).await?);
    let listed = vec![step!("e", charge(&input.items[0])), step!("f", charge(&input.items[1]))];
    for result in join_all(listed).await {
        result?;
    }
    join_all(input.items.iter().map(|item| step!("audit:{item.id}", charge(item)))).await;
    let mut unordered: FuturesUnordered<_> = input
        .items
        .iter()
        .map(|item| async move { step!("again:{item.id}", charge(item)).await })
        .collect();
    while let Some(result) = unordered.next().await {
        result?;
    }
    tokio::select! { biased;
        late = step!("race", text(&input)) => { late?; }
        _ = step!("deadline", sleep = "1h") => {}
    }
    let told: bool = step!("child", job = taken_apart_too(input.id)).await?;
    let urgent = taken_apart_too(input.id).priority(1);
    step!("moved", job = move urgent).await?;
    let sent: Handle<taken_apart_too> = step!("sent", job = taken_apart_too(5).attempts(2), detached).await?;
    println!("{told} {}", sent.id());
    join_all(input.items.iter().map(|item| step!("child:{item.id}", job = taken_apart_too(u64::from(item.id))))).await;
    join_all((0..3).map(|k| step!("sent:{k}", job = move taken_apart_too(k), detached,))).await;
    let boxed = Box::pin(async { step!("boxed", text(&input)).await });
    boxed.await?;
    let failed: std::result::Result<String, StepError> = step!("handled", text(&input)).await;
    if let Err(error) = failed {
        println!("{} {}", error, job.attempt());
    }
    Ok(format!("{org}{}{}{c}{d}{:?}{}", a?, b?, paid.map(|paid| paid.cents), must.cents))
}

/// Takes its input apart.
#[job(idempotency = |order| format!("{}:{}", order.id, order.org_id))]
pub async fn taken_apart(Order { id, mut items, .. }: Order) -> Result<()> {
    items.clear();
    step!("a:{id}", move consume(vec![id as u32])).await?;
    Ok(())
}

/// The child of others.
#[job(idempotency = "{input}")]
pub async fn taken_apart_too(input: u64) -> Result<bool> {
    Ok(input > 5)
}

/// Calls itself by name, and has no steps.
#[job(idempotency = none, allow = (raw_await))]
async fn again(input: ()) -> std::result::Result<(), std::io::Error> {
    tokio::time::sleep(Duration::from_millis(1)).await;
    let _request = again(input);
    Ok(())
}

fn main() {
    let order = Order {
        id: 7,
        org_id: "a:b".into(),
        items: vec![],
        due_at: SystemTime::UNIX_EPOCH,
        r#type: 1,
    };
    assert_eq!(ship_order::key(&order).as_deref(), Some("order:7:1"));
    assert_eq!(ship_order::tenant(&order).as_deref(), Some("a%3Ab"));
    assert_eq!(taken_apart::key(&order).as_deref(), Some("7:a:b"));
    assert_eq!(again::key(&()), None);
    let def = ship_order::def();
    assert_eq!((def.name, def.was), ("ship-order", &["ship"][..]));
    assert_eq!(def.options.attempts, 7);
    assert_eq!(def.steps[3].name, "charge:{item.id}");
    assert!(def.steps[3].in_loop);
    assert_eq!(jobs_runtime::private::JOBS_V0.len(), 4);
    assert_eq!(jobs_runtime::private::EVENTS_V0.len(), 3);
    assert_eq!(<Paid as Event>::NAME, "paid");
    let _request = ship_order(order);
}
