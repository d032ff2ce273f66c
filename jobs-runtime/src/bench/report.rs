//! How figures are shown: a line of JSON for each measurement, or a table of medians.

use super::args::{Scenario, Unit};
use super::sample::{Sample, median, percentile};
use serde_json::{Value, json};

pub(super) struct Report {
    store: &'static str,
    json: bool,
    rows: Vec<Row>,
}

/// The rounds of one scenario.
struct Row {
    scenario: Scenario,
    limits: Vec<Sample>,
    ours: Vec<Sample>,
}

impl Report {
    pub(super) fn new(store: &'static str, json: bool) -> Self {
        Report {
            store,
            json,
            rows: Vec::new(),
        }
    }

    /// Takes a round, and gives the lines to be said at once.
    pub(super) fn add(
        &mut self,
        scenario: Scenario,
        round: u16,
        limit: Option<Sample>,
        ours: Option<Sample>,
    ) -> Vec<String> {
        let ratio = limit.as_ref().zip(ours.as_ref());
        let ratio = ratio.map(|(limit, ours)| ours.value / limit.value);
        let mut lines = Vec::new();
        if self.json {
            for (who, sample) in [("limit", &limit), ("ours", &ours)] {
                let line = |it| self.line(scenario, round, who, it, ratio).to_string();
                lines.extend(sample.as_ref().map(line));
            }
        }
        if self.rows.last().is_none_or(|row| row.scenario != scenario) {
            self.rows.push(Row {
                scenario,
                limits: Vec::new(),
                ours: Vec::new(),
            });
        }
        if let Some(row) = self.rows.last_mut() {
            row.limits.extend(limit);
            row.ours.extend(ours);
        }
        lines
    }

    fn line(
        &self,
        scenario: Scenario,
        round: u16,
        who: &str,
        sample: &Sample,
        ratio: Option<f64>,
    ) -> Value {
        let at = |part| (!sample.latencies.is_empty()).then(|| percentile(&sample.latencies, part));
        json!({
            "store": self.store, "scenario": scenario.name(), "round": round, "who": who,
            "value": sample.value, "unit": scenario.unit().word(),
            "ratio": ratio.filter(|_| who == "ours"),
            "p50_ms": at(0.5), "p90_ms": at(0.9), "p99_ms": at(0.99), "max_ms": at(1.0),
            "statements_each": sample.counts.statements, "commits_each": sample.counts.commits,
            "bytes_each": sample.counts.bytes, "dead_rows": sample.counts.dead_rows,
            "memory_kib": sample.memory_kib,
        })
    }

    /// The table, unless each measurement was told by itself.
    pub(super) fn table(&self) -> Vec<String> {
        if self.json {
            return Vec::new();
        }
        let heads = [
            self.store,
            "unit",
            "limit",
            "ours",
            "ratio",
            "(from .. to)",
            "p50",
            "p99",
            "statements",
            "commits",
            "bytes",
            "dead",
            "MiB",
        ];
        let mut rows = vec![heads.map(str::to_owned)];
        rows.extend(self.rows.iter().map(Row::cells));
        let width = |column: usize| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..heads.len()).map(width).collect();
        let line = |row: &[String; 13]| {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(n, (cell, width))| match n {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        rows.iter().map(line).collect()
    }
}

impl Row {
    fn cells(&self) -> [String; 13] {
        let values =
            |samples: &[Sample]| -> Vec<f64> { samples.iter().map(|it| it.value).collect() };
        let (limits, ours) = (values(&self.limits), values(&self.ours));
        let pairs = ours.iter().zip(&limits);
        let mut ratios: Vec<f64> = pairs.map(|(ours, limit)| ours / limit).collect();
        ratios.sort_by(f64::total_cmp);
        let of = |values: &[f64]| match values.is_empty() {
            true => String::new(),
            false => number(median(values.iter().copied())),
        };
        let span = match (ratios.first(), ratios.last()) {
            (Some(first), Some(last)) => format!("{} .. {}", number(*first), number(*last)),
            _ => String::new(),
        };
        let shown = if self.ours.is_empty() {
            &self.limits
        } else {
            &self.ours
        };
        let each = |count: fn(&Sample) -> Option<f64>| {
            let counts: Vec<f64> = self.ours.iter().filter_map(count).collect();
            of(&counts)
        };
        let latency = |part: f64| {
            let all = shown.iter().filter(|it| !it.latencies.is_empty());
            let parts: Vec<f64> = all.map(|it| percentile(&it.latencies, part)).collect();
            of(&parts)
        };
        [
            self.scenario.name(),
            self.scenario.unit().word().to_owned(),
            of(&limits),
            of(&ours),
            of(&ratios),
            span,
            latency(0.5),
            latency(0.99),
            each(|it| it.counts.statements),
            each(|it| it.counts.commits),
            each(|it| it.counts.bytes),
            each(|it| it.counts.dead_rows),
            match self.scenario.unit() {
                Unit::Mebibytes => String::new(),
                _ => each(|it| it.memory_kib.map(|kib| kib as f64 / 1_024.0)),
            },
        ]
    }
}

/// Three digits that count.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        small if small < 0.01 => format!("{value:.4}"),
        small if small < 1.0 => format!("{value:.3}"),
        some if some < 10.0 => format!("{value:.2}"),
        more if more < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_ratio_is_that_of_neighbours() {
        let mut report = Report::new("memory", false);
        for (round, (limit, ours)) in [(10, 20), (100, 300), (1_000, 2_500)]
            .into_iter()
            .enumerate()
        {
            let latency = |ms| Some(Sample::latency([Duration::from_millis(ms)]));
            report.add(
                Scenario::Pickup,
                round as u16,
                latency(limit),
                latency(ours),
            );
        }
        let table = report.table();
        assert!(table[1].contains("2.50  2.00 .. 3.00"), "{table:#?}");
    }

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0012, 0.0523, 1.234, 56.78, 12_345.6].map(number);
        assert_eq!(shown, ["0.0012", "0.052", "1.23", "56.8", "12346"]);
    }
}
