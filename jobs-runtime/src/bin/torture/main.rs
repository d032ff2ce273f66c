//! wip
use jobs_runtime::torture::sim;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).filter_map(|x| x.parse().ok()).collect();
    let t = std::time::Instant::now();
    let (mut ops, mut quiet, mut ms, mut en) = (0, 0, 0, 0);
    for seed in a[0]..a[1] {
        let o = sim::run(seed, &sim::Options { operations: a[2] });
        match o {
            Ok(o) => { ops += o.operations; quiet += u64::from(o.quiet); ms += o.millis; en += o.entries; if !o.quiet { println!("{seed} {o:?}"); } }
            Err(e) => println!("{seed}: {e}"),
        }
    }
    let n = a[1] - a[0];
    println!("{n} runs, {quiet} quiet, {ops} ops, {} ms virtual avg, {en} entries, {:?}, {:.0} runs/s", ms / n as u128, t.elapsed(), n as f64 / t.elapsed().as_secs_f64());
}
