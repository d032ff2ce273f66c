//! One measurement, and what many of them come to.

use super::counts::Counts;
use std::time::Duration;

/// What one measurement gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    /// In the unit of the scenario: a rate, the median of latencies, or memory.
    pub(super) value: f64,
    /// In milliseconds, ascending; none for rates.
    pub(super) latencies: Vec<f64>,
    /// For each job, or each step where there are steps.
    pub(super) counts: Counts,
    /// Memory of the process right after it, in KiB.
    pub(super) memory_kib: Option<u64>,
}

impl Sample {
    /// So many of something in a span.
    pub(super) fn rate(many: usize, span: Duration) -> Self {
        Sample {
            value: many as f64 / span.as_secs_f64().max(f64::EPSILON),
            memory_kib: memory_kib(),
            ..Sample::default()
        }
    }

    /// The median of latencies.
    pub(super) fn latency(spans: impl IntoIterator<Item = Duration>) -> Self {
        let millis = spans.into_iter().map(|it| it.as_secs_f64() * 1_000.0);
        let mut latencies: Vec<f64> = millis.collect();
        latencies.sort_by(f64::total_cmp);
        Sample {
            value: percentile(&latencies, 0.5),
            latencies,
            memory_kib: memory_kib(),
            ..Sample::default()
        }
    }

    pub(super) fn mebibytes(kib: u64) -> Self {
        Sample {
            value: kib as f64 / 1_024.0,
            memory_kib: Some(kib),
            ..Sample::default()
        }
    }

    #[must_use]
    pub(super) fn counted(mut self, counts: Counts) -> Self {
        self.counts = counts;
        self
    }
}

/// Of ascending values; 0 of none.
pub(super) fn percentile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let at = (last as f64 * part).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

pub(super) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    percentile(&values, 0.5)
}

/// Memory of this process, where the system tells it.
pub(super) fn memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|it| it.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_values_themselves() {
        let values = [1.0, 2.0, 3.0, 4.0, 100.0];
        assert_eq!(percentile(&values, 0.5), 3.0);
        assert_eq!(percentile(&values, 0.99), 100.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
    }
}
