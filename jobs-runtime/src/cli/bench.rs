//! `bench`: what it measures is `bench`'s; here it is asked for, and shown.

use super::OK;
use super::out::{Out, Ticker};
use crate::Error;
use crate::bench::{self, BenchArgs, Said};

pub(super) async fn run(args: &BenchArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let url = args.store.clone().unwrap_or_default();
    let json = out.json;
    let mut ticker = Ticker::new(json);
    let measured = bench::run(args, &url, json, |said| match said {
        Said::Doing(what) => ticker.show(what),
        Said::Line(line) => {
            ticker.clear();
            out.line(line);
        }
    });
    let measured = measured.await;
    ticker.clear();
    measured.map(|()| OK)
}
