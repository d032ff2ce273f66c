//! What a definition says about the key of an event.

use crate::definition::Event;
use crate::durable::has_key;
use std::any::type_name;

/// The name of the type of an event's key, if it has a key.
pub fn key_type<E: Event>() -> Option<&'static str> {
    has_key::<E::Key>().then(type_name::<E::Key>)
}
