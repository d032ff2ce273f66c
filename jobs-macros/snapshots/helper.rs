//! What the macro makes of the case `helper`. Written by BLESS=1, read by people.

/// Bills an order.
#[allow(dead_code, clippy::extra_unused_lifetimes, clippy::too_many_arguments)]
pub(crate) fn bill(_: &Order, _: Note) -> ::jobs_runtime::private::Outside<Result<u64>>
where
    for<'__step> ::jobs_runtime::private::Here: ::jobs_runtime::private::CalledByStep<
        '__step,
    >,
{
    ::jobs_runtime::private::Outside::new()
}
/// Bills an order.
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
pub(crate) struct bill<'__job> {
    __cx: ::jobs_runtime::private::JobCx<'__job>,
}
#[allow(non_local_definitions, clippy::needless_update)]
const _: () = {
    impl<'__job> ::jobs_runtime::private::Helper<'__job> for bill<'__job> {
        fn def() -> ::jobs_runtime::private::HelperDef {
            const STEPS: &[::jobs_runtime::private::StepDef] = &[
                ::jobs_runtime::private::StepDef::new(
                    "price",
                    ::jobs_runtime::private::RecordKind::Step,
                    1u32,
                    false,
                ),
                ::jobs_runtime::private::StepDef {
                    helper: ::core::option::Option::Some(
                        <taxes::ask<
                            'static,
                        > as ::jobs_runtime::private::Helper<'static>>::def,
                    ),
                    ..::jobs_runtime::private::StepDef::new(
                        "tax",
                        ::jobs_runtime::private::RecordKind::Step,
                        1u32,
                        false,
                    )
                },
                ::jobs_runtime::private::StepDef {
                    was: &["pay"],
                    at_most_once: true,
                    ..::jobs_runtime::private::StepDef::new(
                        "charge",
                        ::jobs_runtime::private::RecordKind::Step,
                        1u32,
                        false,
                    )
                },
            ];
            ::jobs_runtime::private::HelperDef {
                file: ::core::file!(),
                steps: STEPS,
                types: || ::jobs_runtime::private::describe(Self::__body),
                ..::jobs_runtime::private::HelperDef::DEFAULT
            }
        }
        fn within(__job_cx: ::jobs_runtime::private::JobCx<'__job>) -> Self {
            Self { __cx: __job_cx }
        }
    }
    impl<'__job> bill<'__job> {
        #[doc(hidden)]
        #[allow(clippy::too_many_arguments)]
        pub(crate) fn __call(
            self,
            __given0: &Order,
            __given1: Note,
        ) -> impl ::core::future::Future<Output = Result<u64>> {
            Self::__body(
                ::jobs_runtime::private::Entered::Run(self.__cx, (__given0, __given1)),
            )
        }
        async fn __body(
            __entry: ::jobs_runtime::private::Entered<'__job, (&Order, Note)>,
        ) -> Result<u64> {
            let __tag0 = ::jobs_runtime::private::Tag::new();
            let __tag2 = ::jobs_runtime::private::Tag::new();
            match __entry {
                ::jobs_runtime::private::Entered::Run(
                    __job_cx,
                    (__given0, __given1),
                ) => {
                    let order = __given0;
                    let Note { text } = __given1;
                    let cents = step!(
                        @ call __job_cx["price"] [__tag0]
                        [::jobs_runtime::private::StepOptions::DEFAULT] price(order)
                    )
                        .await?;
                    step!(@ steps __job_cx["tax"] [taxes::ask < '_ >] order, cents)
                        .await?;
                    step!(
                        @ call
                        __job_cx[::jobs_runtime::private::StepName::named("charge")
                        .formerly("pay")] [__tag2] [::jobs_runtime::private::StepOptions
                        { at_most_once : true, ..
                        ::jobs_runtime::private::StepOptions::DEFAULT }] charge(order,
                        cents)
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
                                ::jobs_runtime::private::StepType::Nothing,
                                __tag2.output(),
                            ],
                        );
                    match __never.await {}
                }
            }
        }
    }
};
