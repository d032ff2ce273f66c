//! What the macro makes of the case `every_option`. Written by BLESS=1, read by people.

#[allow(dead_code)]
fn welcome(input: Signup) -> my::jobs::Request<welcome> {
    my::jobs::Request::new(input)
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
    impl my::jobs::Job for welcome {
        type Input = Signup;
        type Output = <Result<(), MyError> as my::jobs::private::JobReturn>::Ok;
        fn def() -> &'static my::jobs::private::JobDef {
            my::jobs::private::register! {
                JOBS_V0 : JobDef = my::jobs::private::JobDef { name : "mail.welcome", was
                : & ["welcome-mail"], krate : ::core::env!("CARGO_PKG_NAME"), version :
                ::core::env!("CARGO_PKG_VERSION"), file : ::core::file!(), line :
                ::core::line!(), options : my::jobs::private::JobOptions { queue :
                "mail", visibility_timeout :
                ::core::option::Option::Some(my::jobs::private::Millis(30000u64)),
                step_timeout :
                ::core::option::Option::Some(my::jobs::private::Millis(60000u64)),
                expires :
                ::core::option::Option::Some(my::jobs::private::Millis(3600000u64)),
                unique_for :
                ::core::option::Option::Some(my::jobs::private::Millis(86400000u64)),
                priority : my::jobs::private::Priority::new(0u8), on_conflict :
                my::jobs::private::OnConflict::Replace, on_cancel :
                ::core::option::Option::Some(my::jobs::private::clean_up:: < welcome,
                mail::take_back >), raw_await : true, removed : & ["old"], keyed : true,
                ..my::jobs::private::JobOptions::DEFAULT }, key :
                ::core::option::Option::Some("| input | input . user_id"), tenant :
                ::core::option::Option::Some("{input.org_id}"), input : {
                #[allow(unused_imports)] use my::jobs::private::NotKnown as _;
                my::jobs::private::TypeDef { name : ::core::any::type_name:: < Signup >,
                schema : < my::jobs::private::Probe < Signup >> ::SCHEMA, } }, output : {
                #[allow(unused_imports)] use my::jobs::private::NotKnown as _;
                my::jobs::private::TypeDef { name : ::core::any::type_name:: < < Result <
                (), MyError > as my::jobs::private::JobReturn > ::Ok >, schema : <
                my::jobs::private::Probe < < Result < (), MyError > as
                my::jobs::private::JobReturn > ::Ok >> ::SCHEMA, } }, needs : & [], steps
                : & [my::jobs::private::StepDef { name : "a", kind :
                my::jobs::private::RecordKind::Step, line : 1u32, in_loop : false,
                ..my::jobs::private::StepDef::DEFAULT }], run : __job_run, }
            }
        }
        fn key(__input: &Self::Input) -> ::core::option::Option<::std::string::String> {
            ::core::option::Option::Some(
                my::jobs::private::key_of::<Signup, _>(__input, |input| input.user_id),
            )
        }
        fn tenant(
            __input: &Self::Input,
        ) -> ::core::option::Option<::std::string::String> {
            #[allow(unused_variables)]
            let input = __input;
            ::core::option::Option::Some(
                my::jobs::private::rendered(
                    &["", ""],
                    &[my::jobs::private::key_part(&input.org_id)],
                ),
            )
        }
    }
    fn __job_run<'__job>(
        __call: my::jobs::private::Call<'__job>,
    ) -> my::jobs::private::RunFuture<'__job> {
        my::jobs::private::run::<
            welcome,
            _,
            _,
            _,
            _,
        >(
            __call,
            <Result<(), MyError> as my::jobs::private::JobReturn>::into_output,
            my::jobs::private::encode::<welcome>,
            |__job_cx, __input| {
                let _ = (&__job_cx, &__input);
                ::core::result::Result::Ok((__input,))
            },
            __job_body,
        )
    }
    async fn __job_body(
        __entry: my::jobs::private::Entered<'_, (Signup,)>,
    ) -> Result<(), MyError> {
        let __tags = (my::jobs::private::Tag::new(),);
        match __entry {
            my::jobs::private::Entered::Run(__job_cx, (__input,)) => {
                let Signup { user_id, .. } = __input;
                step!(
                    @ once __job_cx["a"] [__tags.0]
                    [my::jobs::private::StepOptions::DEFAULT] greet(user_id)
                )
                    .await
            }
            my::jobs::private::Entered::Describe(__told) => {
                #[allow(unused_imports)]
                use my::jobs::private::AnyTag as _;
                let __never = __told.tell(&[__tags.0.output()]);
                match __never.await {}
            }
        }
    }
    my::jobs::private::claim! {
        "job" "mail.welcome"
    }
};
