//! The binary `jobs`: the command line on its own, for a machine that has a store and not the
//! program whose jobs are in it. Which commands there are is told in `jobs_runtime::cli`.

#[tokio::main(flavor = "current_thread")]
async fn main() {
    jobs_runtime::cli::main().await;
}
