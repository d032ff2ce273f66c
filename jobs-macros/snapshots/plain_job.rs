//! What the macro makes of the case `plain_job`. Written by BLESS=1, read by people.

/// Welcomes a user.
#[allow(clippy::too_many_lines)]
#[allow(dead_code)]
pub fn welcome(input: Signup) -> ::jobs_runtime::Request<welcome> {
    ::jobs_runtime::Request::new(input)
}
/// Welcomes a user.
#[allow(clippy::too_many_lines)]
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
pub struct welcome {}
#[doc(hidden)]
#[allow(non_local_definitions, unused_macros)]
#[macro_export]
macro_rules! job_name_already_taken__welcome {
    () => {};
}
#[allow(clippy::too_many_lines)]
#[allow(non_local_definitions, clippy::needless_update)]
const _: () = {
    impl ::jobs_runtime::Job for welcome {
        type Input = Signup;
        type Output = <Result<u64> as ::jobs_runtime::private::JobReturn>::Ok;
        fn def() -> &'static ::jobs_runtime::private::JobDef {
            ::jobs_runtime::private::register! {
                JOBS_V0 : JobDef = ::jobs_runtime::private::JobDef { name : "welcome",
                was : & [], krate : ::core::env!("CARGO_PKG_NAME"), version :
                ::core::env!("CARGO_PKG_VERSION"), file : ::core::file!(), line :
                ::core::line!(), options : ::jobs_runtime::private::JobOptions { attempts
                : 5u32, backoff :
                ::jobs_runtime::private::Backoff::exponential(::jobs_runtime::private::Millis(1000u64),
                ::jobs_runtime::private::Millis(3600000u64)), timeout :
                ::core::option::Option::Some(::jobs_runtime::private::Millis(600000u64)),
                keyed : true, .. ::jobs_runtime::private::JobOptions::DEFAULT }, key :
                ::core::option::Option::Some("signup:{input.user_id}"), tenant :
                ::core::option::Option::None, input : { #[allow(unused_imports)] use
                ::jobs_runtime::private::NotKnown as _; ::jobs_runtime::private::TypeDef
                { name : ::core::any::type_name:: < Signup >, schema : <
                ::jobs_runtime::private::Probe < Signup >> ::SCHEMA, } }, output : {
                #[allow(unused_imports)] use ::jobs_runtime::private::NotKnown as _;
                ::jobs_runtime::private::TypeDef { name : ::core::any::type_name:: < <
                Result < u64 > as ::jobs_runtime::private::JobReturn > ::Ok >, schema : <
                ::jobs_runtime::private::Probe < < Result < u64 > as
                ::jobs_runtime::private::JobReturn > ::Ok >> ::SCHEMA, } }, needs : & [<
                State < Mailer > as ::jobs_runtime::private::Extract > ::need, <
                JobContext as ::jobs_runtime::private::Extract > ::need], steps : &
                [::jobs_runtime::private::StepDef::new("create-account",
                ::jobs_runtime::private::RecordKind::Step, 1u32, false),
                ::jobs_runtime::private::StepDef::new("charge:{item.id}",
                ::jobs_runtime::private::RecordKind::Step, 1u32, true),
                ::jobs_runtime::private::StepDef::new("cool-off",
                ::jobs_runtime::private::RecordKind::Sleep, 1u32, false),
                ::jobs_runtime::private::StepDef { subject : "FeedbackGiven", ..
                ::jobs_runtime::private::StepDef::new("feedback",
                ::jobs_runtime::private::RecordKind::Event, 1u32, false) },
                ::jobs_runtime::private::StepDef::new("note",
                ::jobs_runtime::private::RecordKind::Step, 1u32, false)], run :
                __job_run, }
            }
        }
        fn key(__input: &Self::Input) -> ::core::option::Option<::std::string::String> {
            #[allow(unused_variables)]
            let input = __input;
            ::core::option::Option::Some(
                ::jobs_runtime::private::rendered(
                    &["signup:", ""],
                    &[::jobs_runtime::private::key_part(&input.user_id)],
                ),
            )
        }
        fn tenant(
            __input: &Self::Input,
        ) -> ::core::option::Option<::std::string::String> {
            {
                let _ = __input;
                ::core::option::Option::None
            }
        }
    }
    fn __job_run<'__job>(
        __call: ::jobs_runtime::private::Call<'__job>,
    ) -> ::jobs_runtime::private::RunFuture<'__job> {
        ::jobs_runtime::private::run::<
            welcome,
            _,
            _,
            _,
            _,
        >(
            __call,
            <Result<u64> as ::jobs_runtime::private::JobReturn>::into_output,
            ::jobs_runtime::private::encode::<welcome>,
            |__job_cx, __input| {
                let _ = (&__job_cx, &__input);
                ::core::result::Result::Ok((
                    __input,
                    <State<
                        Mailer,
                    > as ::jobs_runtime::private::Extract>::extract(__job_cx)?,
                    <JobContext as ::jobs_runtime::private::Extract>::extract(__job_cx)?,
                ))
            },
            __job_entry,
        )
    }
    async fn __job_entry(
        __entry: ::jobs_runtime::private::Entered<
            '_,
            (Signup, State<Mailer>, JobContext),
        >,
    ) -> Result<u64> {
        let __tag0 = ::jobs_runtime::private::Tag::new();
        let __tag1 = ::jobs_runtime::private::Tag::new();
        let __tag3 = ::jobs_runtime::private::Tag::new();
        let __tag4 = ::jobs_runtime::private::Tag::new();
        match __entry {
            ::jobs_runtime::private::Entered::Run(
                __job_cx,
                (__input, __given0, __given1),
            ) => {
                let input = __input;
                let mailer = __given0;
                let job = __given1;
                let account = step!(
                    @ call __job_cx["create-account"] [__tag0]
                    [::jobs_runtime::private::StepOptions::DEFAULT] create_account(&
                    input)
                )
                    .await?;
                for item in &input.items {
                    step!(
                        @ call __job_cx[::jobs_runtime::private::rendered(& ["charge:",
                        ""], & [::jobs_runtime::private::key_part(& item.id)])] [__tag1]
                        [::jobs_runtime::private::StepOptions { attempts : 3, timeout :
                        ::core::option::Option::Some(::jobs_runtime::private::Millis(30000u64)),
                        .. ::jobs_runtime::private::StepOptions::DEFAULT }] charge(item)
                    )
                        .await?;
                }
                step!(
                    @ sleep __job_cx["cool-off"]
                    ::jobs_runtime::private::Millis(259200000u64)
                )
                    .await;
                let reply = step!(
                    @ wait __job_cx["feedback"] [__tag3]
                    [::jobs_runtime::private::WaitOptions { key :
                    ::core::option::Option::None, timeout :
                    ::core::option::Option::Some(::jobs_runtime::private::Millis(1209600000u64)),
                    since_step : false, }] [& input.user_id] FeedbackGiven
                )
                    .await?;
                step!(
                    @ run_block __job_cx["note"] [__tag4]
                    [::jobs_runtime::private::StepOptions::DEFAULT] { note(& reply) ?;
                    Ok(account) }
                )
                    .await
            }
            ::jobs_runtime::private::Entered::Describe(__told) => {
                #[allow(unused_imports)]
                use ::jobs_runtime::private::AnyTag as _;
                let __never = __told
                    .tell(
                        &[
                            __tag0.output(),
                            __tag1.output(),
                            ::jobs_runtime::private::StepType::Nothing,
                            __tag3.event(),
                            __tag4.output(),
                        ],
                    );
                match __never.await {}
            }
        }
    }
    const _: () = {
        ::jobs_runtime::private::claim! {
            "job" "welcome"
        }
    };
};
