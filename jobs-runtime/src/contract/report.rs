//! What a look at a store's health found: values for people and tools, and their words.

use serde::Serialize;
use std::fmt;

/// The health of a store. As JSON it is what `serde_json` makes of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Which driver looked: `memory`, `sqlite`.
    pub driver: String,
    /// What is so, as it was read back: settings, sizes in bytes, versions.
    pub facts: Vec<Fact>,
    /// What is wrong, the gravest first.
    pub findings: Vec<Finding>,
}

/// One thing that is so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What it is called: `journal_mode`, `log_bytes`.
    pub name: String,
    /// How it reads.
    pub value: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gravity {
    /// Something stored is lost, unreadable or contradicts itself.
    Damage,
    /// A promise is weaker than it could be, or soon will be.
    Warning,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub gravity: Gravity,
    /// A short name that stays the same: `orphan_rows`.
    pub name: String,
    /// What was found, with the place.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl Report {
    /// A report that has found nothing yet.
    #[must_use]
    pub fn of(driver: &str) -> Self {
        Report {
            driver: driver.into(),
            ..Report::default()
        }
    }

    /// Nothing is wrong.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.findings.is_empty()
    }

    /// What was read back under this name.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&str> {
        let found = self.facts.iter().find(|fact| fact.name == name);
        found.map(|fact| fact.value.as_str())
    }

    /// Adds something that is so.
    pub fn note(&mut self, name: &str, value: impl fmt::Display) {
        self.facts.push(Fact {
            name: name.into(),
            value: value.to_string(),
        });
    }

    /// Adds something that is wrong.
    pub fn find(
        &mut self,
        gravity: Gravity,
        name: &str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.findings.push(Finding {
            gravity,
            name: name.into(),
            what: what.into(),
            remedy: remedy.into(),
        });
        self.findings.sort_by_key(|finding| finding.gravity);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} store", self.driver)?;
        for fact in &self.facts {
            writeln!(f, "  {}: {}", fact.name, fact.value.escape_debug())?;
        }
        for finding in &self.findings {
            let word = match finding.gravity {
                Gravity::Damage => "damage",
                Gravity::Warning => "warning",
            };
            // What was found may quote what users stored.
            writeln!(f, "{word}: {}", finding.what.escape_debug())?;
            writeln!(f, "  remedy: {}", finding.remedy)?;
        }
        if self.is_healthy() {
            writeln!(f, "nothing is wrong")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_comes_before_warnings_and_each_with_its_remedy() {
        let mut report = Report::of("test");
        report.note("size_bytes", 7);
        report.find(Gravity::Warning, "slow", "it is slow", "wait");
        report.find(Gravity::Damage, "torn", "it is torn\u{1b}[31m", "mend it");
        let text = report.to_string();
        let words = [
            "test store",
            "  size_bytes: 7",
            "damage: it is torn\\u{1b}[31m",
            "  remedy: mend it",
            "warning: it is slow",
            "  remedy: wait",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), words);
    }

    #[test]
    fn a_report_is_json_for_tools() {
        let mut report = Report::of("test");
        report.find(Gravity::Damage, "torn", "it is torn", "mend it");
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["findings"][0]["gravity"], "damage");
        assert_eq!(json["findings"][0]["name"], "torn");
    }
}
