//! The schema of a type that has one, seen without a bound on the type: the feature `schema` is
//! on. Where it is off, `no_schema` stands here and sees nothing.

use crate::private::Tag;
use crate::registry::{StepType, TypeDef};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::any::type_name;
use std::marker::PhantomData;

/// Asks whether `T` has a schema. The constant of the type itself goes before that of a trait, but
/// only where its bound holds; else the one of [`NotKnown`] is found.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

impl<T: JsonSchema> Probe<T> {
    /// Gives the schema.
    pub const SCHEMA: Option<fn() -> Value> = Some(schema_of::<T>);
}

/// What is found where there is no schema.
pub trait NotKnown {
    /// Nothing.
    const SCHEMA: Option<fn() -> Value> = None;
}

impl<T> NotKnown for Probe<T> {}

impl<T: JsonSchema> Tag<T> {
    /// Of a step whose type has a schema. Where it has none, that of `AnyTag` is found.
    #[must_use]
    pub fn output(self) -> StepType {
        StepType::Output(TypeDef {
            name: type_name::<T>,
            schema: Some(schema_of::<T>),
        })
    }
}

/// What can be read, not what is written: a field with a default need not be there.
fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::default().for_deserialize();
    settings.into_generator().into_root_schema_for::<T>().into()
}
