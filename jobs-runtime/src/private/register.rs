//! Puts a definition into its slice at link time.

/// `register! { JOBS_V0: JobDef = definition }`, as an expression: the registered static.
#[doc(hidden)]
#[macro_export]
macro_rules! __jobs_register {
    ($slice:ident: $ty:ident = $definition:expr) => {{
        #[$crate::private::linkme::distributed_slice($crate::private::$slice)]
        #[linkme(crate = $crate::private::linkme)]
        static DEFINITION: $crate::private::$ty = $definition;
        &DEFINITION
    }};
}
