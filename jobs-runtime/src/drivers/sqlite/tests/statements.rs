//! The statements: each file is used once, fits the schema, and finds its rows by an index.

use super::super::migrations;
use super::super::sql;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Statements that walk a whole table, each with its reason.
const MAY_SCAN: [(&str, &str); 3] = [
    (
        "caller_file",
        "settings of the connection, which SQLite shows as tables of a row or two",
    ),
    (
        "child_waits",
        "what it scans is the chain it has followed so far",
    ),
    (
        "list_busy",
        "the partial index of parked rows, all of which are wanted",
    ),
];

fn migrated() -> rusqlite::Connection {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    for migration in migrations() {
        connection.execute_batch(migration.sql).unwrap();
    }
    connection
}

fn plan(connection: &rusqlite::Connection, statement: &str) -> Vec<String> {
    let mut explain = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))
        .unwrap();
    // Without values: a plan is the same for all.
    let steps = explain.raw_query().mapped(|row| row.get(3));
    steps.map(Result::unwrap).collect()
}

/// A list with the condition on this column alone.
fn filtered(list: &str, column: &str) -> String {
    let condition = format!("-- if {column}");
    let kept = |line: &&str| !line.contains("-- if ") || line.contains(&condition);
    list.lines().filter(kept).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_file_of_sql_is_included_exactly_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/drivers/sqlite/sql");
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".sql").unwrap().to_owned())
        .collect();
    files.sort();
    let mut included: Vec<&str> = sql::ALL.iter().map(|(name, _)| *name).collect();
    included.sort_unstable();
    assert_eq!(files, included);
}

#[test]
fn every_file_of_sql_says_on_top_why_it_is_safe() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/drivers/sqlite/sql");
    for (name, _) in sql::ALL {
        let text = fs::read_to_string(folder.join(format!("{name}.sql"))).unwrap();
        assert!(text.starts_with("-- "), "{name} has no comment on top");
    }
}

#[test]
fn no_statement_begins_with_its_comment() {
    for (name, statement) in sql::ALL {
        let first = statement.split_whitespace().next().unwrap();
        assert!(first.chars().all(char::is_uppercase), "{name}: {first}");
    }
}

#[test]
fn every_statement_prepares_against_the_schema() {
    let connection = migrated();
    for (name, statement) in sql::ALL {
        if let Err(error) = connection.prepare(statement) {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn no_statement_walks_a_whole_table() {
    let connection = migrated();
    let may_scan = BTreeMap::from(MAY_SCAN);
    for (name, statement) in sql::ALL {
        for step in plan(&connection, statement) {
            let scans = step.starts_with("SCAN ")
                && !step.contains("CONSTANT ROW")
                && !step.contains("SUBQUERY")
                && !step.contains("(subquery");
            assert!(!scans || may_scan.contains_key(name), "{name}: {step}");
        }
    }
}

#[test]
fn a_claim_reads_the_index_of_visible_rows_and_sorts_nothing() {
    let connection = migrated();
    for statement in [
        sql::CLAIM_QUEUE,
        sql::CLAIM_PRIORITY,
        sql::CLAIM_LANE,
        sql::CLAIM_LANE_FROM,
        sql::CLAIM_LATER,
        sql::CLAIM_VISIBLE,
    ] {
        let plan = plan(&connection, statement);
        assert_eq!(plan.len(), 1, "{plan:?}");
        assert!(
            plan[0].contains("USING COVERING INDEX jobs_job_visible"),
            "{plan:?}"
        );
    }
}

/// Of a vector of columns SQLite seeks the place, and then walks over every row that is equal to
/// it: fatal where a lane is a million rows long.
#[test]
fn a_claim_compares_no_columns_as_a_vector_but_those_that_name_one_row() {
    let connection = migrated();
    for (name, statement) in sql::ALL
        .iter()
        .filter(|(name, _)| name.starts_with("claim_"))
    {
        for step in plan(&connection, statement) {
            let by_vector = step.contains(")>(") && !step.contains("(visible_at,id)>(");
            assert!(!by_vector, "{name}: {step}");
        }
    }
}

#[test]
fn a_page_of_a_state_that_few_are_in_seeks_only_those() {
    let connection = migrated();
    let plan = plan(&connection, &filtered(sql::LIST_BUSY, "state"));
    assert!(
        plan[0].starts_with("SEARCH j USING PRIMARY KEY"),
        "{plan:?}"
    );
    assert!(
        !plan.iter().any(|step| step.contains("TEMP B-TREE")),
        "{plan:?}"
    );
}

#[test]
fn a_page_of_a_filter_comes_from_its_index_in_order() {
    let connection = migrated();
    let columns = ["queue", "name", "state", "tenant", "key"];
    for (list, with) in [
        (sql::LIST_LIVE, &["name", "tenant", "key"][..]),
        (sql::LIST_ENDED, &columns[..]),
        (sql::LIST_DEAD, &["queue", "name", "tenant", "key"][..]),
    ] {
        for column in with {
            let plan = plan(&connection, &filtered(list, column));
            assert!(plan[0].contains("USING INDEX"), "{column}: {plan:?}");
            assert!(
                !plan.iter().any(|step| step.contains("TEMP B-TREE")),
                "{column}: {plan:?}"
            );
        }
    }
}
