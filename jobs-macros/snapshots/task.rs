//! What the macro makes of the case `task`. Written by BLESS=1, read by people.

#[allow(dead_code)]
fn nightly(input: Tick) -> ::jobs_runtime::Request<nightly> {
    ::jobs_runtime::Request::new(input)
}
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct nightly {}
#[doc(hidden)]
#[allow(non_local_definitions, unused_macros)]
#[macro_export]
macro_rules! job_name_already_taken__nightly {
    () => {};
}
#[allow(non_local_definitions, clippy::needless_update)]
const _: () = {
    impl ::jobs_runtime::Task for nightly {}
    impl ::jobs_runtime::Job for nightly {
        type Input = Tick;
        type Output = <Result<()> as ::jobs_runtime::private::JobReturn>::Ok;
        fn def() -> &'static ::jobs_runtime::private::JobDef {
            ::jobs_runtime::private::register! {
                JOBS_V0 : JobDef = ::jobs_runtime::private::JobDef { name : "nightly",
                was : & [], krate : ::core::env!("CARGO_PKG_NAME"), version :
                ::core::env!("CARGO_PKG_VERSION"), file : ::core::file!(), line :
                ::core::line!(), options : ::jobs_runtime::private::JobOptions { attempts
                : 3u32, task :
                ::core::option::Option::Some(::jobs_runtime::private::TaskDef { schedule
                : "0 3 * * mon-fri", zone : "Europe/Paris", missed :
                ::jobs_runtime::private::Missed::Last, overlap :
                ::jobs_runtime::private::Overlap::Skip, }), keyed : true, ..
                ::jobs_runtime::private::JobOptions::DEFAULT }, key :
                ::core::option::Option::None, tenant : ::core::option::Option::None,
                input : { #[allow(unused_imports)] use ::jobs_runtime::private::NotKnown
                as _; ::jobs_runtime::private::TypeDef { name : ::core::any::type_name::
                < Tick >, schema : < ::jobs_runtime::private::Probe < Tick >> ::SCHEMA, }
                }, output : { #[allow(unused_imports)] use
                ::jobs_runtime::private::NotKnown as _; ::jobs_runtime::private::TypeDef
                { name : ::core::any::type_name:: < < Result < () > as
                ::jobs_runtime::private::JobReturn > ::Ok >, schema : <
                ::jobs_runtime::private::Probe < < Result < () > as
                ::jobs_runtime::private::JobReturn > ::Ok >> ::SCHEMA, } }, needs : & [<
                State < Mailer > as ::jobs_runtime::private::Extract > ::need], steps : &
                [::jobs_runtime::private::StepDef::new("send",
                ::jobs_runtime::private::RecordKind::Step, 1u32, false)], run :
                __job_run, }
            }
        }
        fn key(__input: &Self::Input) -> ::core::option::Option<::std::string::String> {
            ::core::option::Option::Some(
                ::jobs_runtime::private::tick_key::<Tick>(__input),
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
            nightly,
            _,
            _,
            _,
            _,
        >(
            __call,
            <Result<()> as ::jobs_runtime::private::JobReturn>::into_output,
            ::jobs_runtime::private::encode::<nightly>,
            |__job_cx, __input| {
                let _ = (&__job_cx, &__input);
                ::core::result::Result::Ok((
                    __input,
                    <State<
                        Mailer,
                    > as ::jobs_runtime::private::Extract>::extract(__job_cx)?,
                ))
            },
            __job_entry,
        )
    }
    async fn __job_entry(
        __entry: ::jobs_runtime::private::Entered<'_, (Tick, State<Mailer>)>,
    ) -> Result<()> {
        let __tag0 = ::jobs_runtime::private::Tag::new();
        match __entry {
            ::jobs_runtime::private::Entered::Run(__job_cx, (__input, __given0)) => {
                let tick = __input;
                let mailer = __given0;
                step!(
                    @ call __job_cx["send"] [__tag0]
                    [::jobs_runtime::private::StepOptions::DEFAULT] mailer.send(tick.at)
                )
                    .await
            }
            ::jobs_runtime::private::Entered::Describe(__told) => {
                #[allow(unused_imports)]
                use ::jobs_runtime::private::AnyTag as _;
                let __never = __told.tell(&[__tag0.output()]);
                match __never.await {}
            }
        }
    }
    const _: () = {
        ::jobs_runtime::private::claim! {
            "job" "nightly"
        }
    };
};
