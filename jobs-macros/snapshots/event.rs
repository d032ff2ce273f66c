//! What the macro makes of the case `event`. Written by BLESS=1, read by people.

#[automatically_derived]
impl ::jobs_runtime::Event for FeedbackGiven {
    type Key = u64;
    const NAME: &'static ::core::primitive::str = "feedback-given";
    const WAS: &'static [&'static ::core::primitive::str] = &["feedback"];
    const TTL: ::core::option::Option<::jobs_runtime::private::Millis> = ::core::option::Option::Some(
        ::jobs_runtime::private::Millis(604800000u64),
    );
    fn def() -> &'static ::jobs_runtime::private::EventDef {
        ::jobs_runtime::private::register! {
            EVENTS_V0 : EventDef = ::jobs_runtime::private::EventDef { name :
            "feedback-given", was : & ["feedback"], krate :
            ::core::env!("CARGO_PKG_NAME"), version : ::core::env!("CARGO_PKG_VERSION"),
            file : ::core::file!(), line : ::core::line!(), payload : {
            #[allow(unused_imports)] use ::jobs_runtime::private::NotKnown as _;
            ::jobs_runtime::private::TypeDef { name : ::core::any::type_name:: <
            FeedbackGiven >, schema : < ::jobs_runtime::private::Probe < FeedbackGiven >>
            ::SCHEMA, } }, key_type : ::jobs_runtime::private::key_type:: < FeedbackGiven
            >, ttl :
            ::core::option::Option::Some(::jobs_runtime::private::Millis(604800000u64)),
            }
        }
    }
}
#[doc(hidden)]
#[allow(non_local_definitions, unused_macros)]
#[macro_export]
macro_rules! event_name_already_taken_by__feedback_given__dash8 {
    () => {};
}
#[doc(hidden)]
#[allow(non_local_definitions, unused_macros)]
#[macro_export]
macro_rules! event_name_already_taken__feedback {
    () => {};
}
const _: () = {
    ::jobs_runtime::private::claim! {
        "event" "feedback-given"
    }
};
const _: () = {
    ::jobs_runtime::private::claim! {
        "event" "feedback"
    }
};
