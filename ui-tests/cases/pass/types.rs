//! Inputs and outputs of every shape that can be stored, with keys of every type that can be one.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::{Job, Result, job, step};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A generic envelope.
#[derive(Serialize, Deserialize)]
#[serde(bound = "T: Serialize + DeserializeOwned")]
pub struct Envelope<T, const N: usize = 2> {
    /// What is in it.
    pub content: T,
}

/// One of several.
#[derive(Serialize, Deserialize)]
pub enum Either {
    /// The left.
    Left(u64),
    /// The right.
    Right {
        /// Its name.
        name: String,
    },
}

/// Keys of every kind.
#[derive(Serialize, Deserialize)]
pub struct Keys {
    a: u8,
    b: i128,
    c: bool,
    d: char,
    e: String,
    f: Cow<'static, str>,
    g: uuid::Uuid,
    h: (usize, Box<str>),
}

/// A name of its own for a type.
pub type Alias = Envelope<Vec<Option<u64>>, 5>;

async fn give<T>(value: T) -> Result<T> {
    Ok(value)
}

/// Every type of key.
#[job(idempotency = "typed:{input.a}:{input.b}:{input.c}:{input.d}:{input.e}:{input.f}:{input.g}:{input.h.0}:{input.h.1}")]
pub async fn typed_keys(input: Keys) -> Result<(u8, i128)> {
    let Keys { a, b, c, d, e, f, g, h } = input;
    step!("{a}:{b}:{c}:{d}:{e}:{f}:{g}:{h.0}:{h.1}", give(1)).await?;
    Ok((a, b))
}

/// An alias of a generic type.
#[job(idempotency = none)]
pub async fn typed_alias(input: Alias) -> Result<BTreeMap<String, Either>> {
    let either = step!("either", give(Either::Left(input.content.len() as u64))).await?;
    let pair = step!("pair", move give((either, [1u8; 4], Some(()), "a".to_owned()))).await?;
    Ok(BTreeMap::from([("left".to_owned(), pair.0)]))
}

/// An enum, taken apart by a match.
#[job(idempotency = |input| match input { Either::Left(n) => n.to_string(), Either::Right { name } => name.clone() })]
pub async fn typed_enum(input: Either) -> Result<Option<Either>> {
    Ok(Some(input))
}

/// A tuple, taken apart in the head.
#[job(idempotency = "typed-tuple:{input.0}")]
pub async fn typed_tuple((id, [first, ..], Envelope { content }): (u64, [u8; 3], Envelope<u64>)) -> Result<()> {
    step!("one:{id}:{first}", give(content)).await?;
    Ok(())
}

fn main() {
    assert_eq!(typed_enum::key(&Either::Left(5)).as_deref(), Some("5"));
    assert_eq!(typed_tuple::key(&(5, [1, 2, 3], Envelope { content: 1 })).as_deref(), Some("typed-tuple:5"));
}
