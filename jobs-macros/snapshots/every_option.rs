//! What the macro makes of the case `every_option`. Written by BLESS=1, read by people.

#[doc(hidden)]
#[allow(unused_imports)]
use my::jobs as __jobs_of_welcome;
#[allow(dead_code)]
fn welcome(input: Signup) -> __jobs_of_welcome::Request<welcome> {
    __jobs_of_welcome::Request::new(input)
}
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct welcome {}
#[doc(hidden)]
#[allow(non_local_definitions, unused_macros)]
#[macro_export]
macro_rules! job_name_already_taken_by__mail_welcome__dot4 {
    () => {};
}
#[doc(hidden)]
#[allow(non_local_definitions, unused_macros)]
#[macro_export]
macro_rules! job_name_already_taken_by__welcome_mail__dash7 {
    () => {};
}
#[allow(non_local_definitions, clippy::needless_update)]
const _: () = {
    impl __jobs_of_welcome::Job for welcome {
        type Input = Signup;
        type Output = <Result<(), MyError> as __jobs_of_welcome::private::JobReturn>::Ok;
        fn def() -> &'static __jobs_of_welcome::private::JobDef {
            __jobs_of_welcome::private::register! {
                JOBS_V0 : JobDef = __jobs_of_welcome::private::JobDef { name :
                "mail.welcome", was : & ["welcome-mail"], krate :
                ::core::env!("CARGO_PKG_NAME"), version :
                ::core::env!("CARGO_PKG_VERSION"), file : ::core::file!(), line :
                ::core::line!(), options : __jobs_of_welcome::private::JobOptions { queue
                : "mail", visibility_timeout :
                ::core::option::Option::Some(__jobs_of_welcome::private::Millis(30000u64)),
                step_timeout :
                ::core::option::Option::Some(__jobs_of_welcome::private::Millis(60000u64)),
                expires :
                ::core::option::Option::Some(__jobs_of_welcome::private::Millis(3600000u64)),
                unique_for :
                ::core::option::Option::Some(__jobs_of_welcome::private::Millis(86400000u64)),
                priority : __jobs_of_welcome::private::Priority::new(0u8), on_conflict :
                __jobs_of_welcome::private::OnConflict::Replace, on_cancel :
                ::core::option::Option::Some(__jobs_of_welcome::private::clean_up:: <
                welcome, mail::take_back >), raw_await : true, removed : & ["old"], keyed
                : true, ..__jobs_of_welcome::private::JobOptions::DEFAULT }, key :
                ::core::option::Option::Some("| input | input . user_id"), tenant :
                ::core::option::Option::Some("{input.org_id}"), input : {
                #[allow(unused_imports)] use __jobs_of_welcome::private::NotKnown as _;
                __jobs_of_welcome::private::TypeDef { name : ::core::any::type_name:: <
                Signup >, schema : < __jobs_of_welcome::private::Probe < Signup >>
                ::SCHEMA, } }, output : { #[allow(unused_imports)] use
                __jobs_of_welcome::private::NotKnown as _;
                __jobs_of_welcome::private::TypeDef { name : ::core::any::type_name:: < <
                Result < (), MyError > as __jobs_of_welcome::private::JobReturn > ::Ok >,
                schema : < __jobs_of_welcome::private::Probe < < Result < (), MyError >
                as __jobs_of_welcome::private::JobReturn > ::Ok >> ::SCHEMA, } }, needs :
                & [], steps : & [__jobs_of_welcome::private::StepDef::new("a",
                __jobs_of_welcome::private::RecordKind::Step, 1u32, false)], run :
                __job_run, }
            }
        }
        fn key(__input: &Self::Input) -> ::core::option::Option<::std::string::String> {
            ::core::option::Option::Some(
                __jobs_of_welcome::private::key_of::<
                    Signup,
                    _,
                >(__input, |input| input.user_id),
            )
        }
        fn tenant(
            __input: &Self::Input,
        ) -> ::core::option::Option<::std::string::String> {
            #[allow(unused_variables)]
            let input = __input;
            ::core::option::Option::Some(
                __jobs_of_welcome::private::rendered(
                    &["", ""],
                    &[__jobs_of_welcome::private::key_part(&input.org_id)],
                ),
            )
        }
    }
    fn __job_run<'__job>(
        __call: __jobs_of_welcome::private::Call<'__job>,
    ) -> __jobs_of_welcome::private::RunFuture<'__job> {
        __jobs_of_welcome::private::run::<
            welcome,
            _,
            _,
            _,
            _,
        >(
            __call,
            <Result<(), MyError> as __jobs_of_welcome::private::JobReturn>::into_output,
            __jobs_of_welcome::private::encode::<welcome>,
            |__job_cx, __input| {
                let _ = (&__job_cx, &__input);
                ::core::result::Result::Ok((__input,))
            },
            __job_entry,
        )
    }
    async fn __job_entry(
        __entry: __jobs_of_welcome::private::Entered<'_, (Signup,)>,
    ) -> Result<(), MyError> {
        let __tag0 = __jobs_of_welcome::private::Tag::new();
        match __entry {
            __jobs_of_welcome::private::Entered::Run(__job_cx, (__input,)) => {
                let Signup { user_id, .. } = __input;
                step!(
                    @ once __job_cx["a"] [__tag0]
                    [__jobs_of_welcome::private::StepOptions::DEFAULT] greet(user_id)
                )
                    .await
            }
            __jobs_of_welcome::private::Entered::Describe(__told) => {
                #[allow(unused_imports)]
                use __jobs_of_welcome::private::AnyTag as _;
                let __never = __told.tell(&[__tag0.output()]);
                match __never.await {}
            }
        }
    }
    const _: () = {
        __jobs_of_welcome::private::claim! {
            "job" "mail.welcome"
        }
    };
    const _: () = {
        __jobs_of_welcome::private::claim! {
            "job" "welcome-mail"
        }
    };
};
