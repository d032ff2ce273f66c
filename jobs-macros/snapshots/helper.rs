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
                ::jobs_runtime::private::StepDef {
                    name: "price",
                    kind: ::jobs_runtime::private::RecordKind::Step,
                    line: 1u32,
                    in_loop: false,
                    ..::jobs_runtime::private::StepDef::DEFAULT
                },
                ::jobs_runtime::private::StepDef {
                    name: "tax",
                    kind: ::jobs_runtime::private::RecordKind::Step,
                    line: 1u32,
                    in_loop: false,
                    helper: ::core::option::Option::Some(
                        <taxes::ask<
                            'static,
                        > as ::jobs_runtime::private::Helper<'static>>::def,
                    ),
                    ..::jobs_runtime::private::StepDef::DEFAULT
                },
                ::jobs_runtime::private::StepDef {
                    name: "charge",
                    kind: ::jobs_runtime::private::RecordKind::Step,
                    line: 1u32,
                    in_loop: false,
                    was: &["pay"],
                    at_most_once: true,
                    ..::jobs_runtime::private::StepDef::DEFAULT
                },
            ];
            ::jobs_runtime::private::HelperDef {
                file: ::core::file!(),
                steps: STEPS,
                raw_await: false,
                types: || ::jobs_runtime::private::describe(Self::__body),
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
            let __tags = (
                ::jobs_runtime::private::Tag::new(),
                ::jobs_runtime::private::Tag::new(),
            );
            match __entry {
                ::jobs_runtime::private::Entered::Run(
                    __job_cx,
                    (__given0, __given1),
                ) => {
                    let order = __given0;
                    let Note { text } = __given1;
                    let cents = step!(
                        @ run __job_cx["price"] [__tags.0]
                        [::jobs_runtime::private::StepOptions::DEFAULT] price(order)
                    )
                        .await?;
                    step!(@ steps __job_cx["tax"] [taxes::ask < '_ >] order, cents)
                        .await?;
                    step!(
                        @ run __job_cx[::jobs_runtime::private::StepName::from("charge")
                        .formerly("pay")] [__tags.1]
                        [::jobs_runtime::private::StepOptions { at_most_once : true, ..
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
                                __tags.0.output(),
                                ::jobs_runtime::private::StepType::Nothing,
                                __tags.1.output(),
                            ],
                        );
                    match __never.await {}
                }
            }
        }
    }
};
