//! A type as a definition describes it, seen without a bound on the type.

use crate::definition::Event;
use crate::durable::has_key;
use std::any::type_name;

/// `type_def!(Signup)`: a constant expression.
#[doc(hidden)]
#[macro_export]
macro_rules! __jobs_type_def {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::private::NotKnown as _;
        $crate::private::TypeDef {
            name: ::core::any::type_name::<$ty>,
            schema: <$crate::private::Probe<$ty>>::SCHEMA,
        }
    }};
}

/// The name of the type of an event's key, if it has a key.
pub fn key_type<E: Event>() -> Option<&'static str> {
    has_key::<E::Key>().then(type_name::<E::Key>)
}
