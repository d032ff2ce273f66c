//! Opening, settings, migration, and files that must be refused.

use super::super::{Durability, connect, migrations};
use super::*;
use crate::core::{Position, RecordKind, StepOutcome, StepRecord};
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Barrier;

/// Processes, as threads with handles of their own, that open one file at once.
const CROWD: usize = 16;

async fn refusal(path: &Path) -> crate::Error {
    match Sqlite::open(path, SqliteOptions::default()).await {
        Ok(_) => panic!("the store was opened"),
        Err(error) => error,
    }
}

/// The same tables, each with as many rows.
fn rows(path: &Path, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    raw(path).query_row(&sql, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn the_settings_of_a_writer_read_back_as_promised() {
    let (_folder, path) = place();
    open(&path).await.close().await;
    let options = SqliteOptions::default();
    let connection = connect::open(&path, &options, connect::Access::Write).unwrap();
    let number = |name: &str| -> i64 {
        connection
            .pragma_query_value(None, name, |row| row.get(0))
            .unwrap()
    };
    assert_eq!(number("synchronous"), 2);
    assert_eq!(number("foreign_keys"), 1);
    assert_eq!(number("auto_vacuum"), 2);
    assert_eq!(number("busy_timeout"), 5_000);
    assert_eq!(number("mmap_size"), 0);
}

#[tokio::test]
async fn a_store_opens_while_another_process_writes() {
    let (_folder, path) = place();
    open(&path).await.close().await;
    let other = raw(&path);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = open(&path).await;
    assert!(store.stats(None).await.unwrap().is_empty());
    other.execute_batch("ROLLBACK").unwrap();
    store.close().await;
}

#[tokio::test]
async fn weak_durability_is_asked_for_by_name_and_shows_in_the_capabilities() {
    let (_folder, path) = place();
    let strong = open(&path).await;
    let options = SqliteOptions::default().allow_weak_durability();
    let weak = Sqlite::open(&path, options).await.unwrap();
    assert_eq!(strong.capabilities().durability, Durability::Machine);
    assert_eq!(weak.capabilities().durability, Durability::Process);
    strong.close().await;
    weak.close().await;
}

#[tokio::test]
async fn a_store_that_was_closed_is_found_again_with_all_that_was_in_it() {
    let (_folder, path) = place();
    let store = open(&path).await;
    let wanted = job("kept");
    enqueue(&store, &wanted).await;
    store.close().await;

    let store = open(&path).await;
    let claims = store.claim(&claim(10)).await.unwrap();
    let found: Vec<_> = claims.jobs.iter().map(|held| &held.job.spec).collect();
    assert_eq!(found, [&wanted.spec]);
    store.close().await;
}

#[tokio::test]
async fn a_store_that_was_dropped_without_a_close_is_whole() {
    let (_folder, path) = place();
    let store = open(&path).await;
    enqueue(&store, &job("kept")).await;
    drop(store);
    let store = open(&path).await;
    assert_eq!(store.claim(&claim(10)).await.unwrap().jobs.len(), 1);
    store.close().await;
}

#[test]
fn a_crowd_that_opens_a_new_file_at_once_makes_one_schema() {
    let (_folder, path) = place();
    let start = Barrier::new(CROWD);
    std::thread::scope(|scope| {
        for _ in 0..CROWD {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .build()
                    .unwrap();
                start.wait();
                runtime.block_on(async { open(&path).await.close().await });
            });
        }
    });
    assert_eq!(rows(&path, "jobs_migration"), migrations().len() as i64);
    assert_eq!(rows(&path, "jobs_counter"), 2);
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let (_folder, path) = place();
    open(&path).await.close().await;
    raw(&path)
        .execute("INSERT INTO jobs_migration VALUES (99, 'later')", [])
        .unwrap();
    assert_eq!(refusal(&path).await.code(), "X_SCHEMA_NEWER");
    assert_eq!(rows(&path, "jobs_migration"), migrations().len() as i64 + 1);
}

#[tokio::test]
async fn tables_of_an_application_in_the_same_file_are_left_alone() {
    let (_folder, path) = place();
    let own = "CREATE TABLE user (id INTEGER); INSERT INTO user VALUES (7)";
    raw(&path).execute_batch(own).unwrap();
    open(&path).await.close().await;
    assert_eq!(rows(&path, "user"), 1);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_by_name() {
    let (_folder, path) = place();
    fs::write(
        &path,
        "not a database, but long enough to look like one".repeat(100),
    )
    .unwrap();
    let error = refusal(&path).await;
    assert_eq!(error.code(), "X_STORE_CORRUPT");
    assert!(error.to_string().contains(path.to_str().unwrap()));
}

#[tokio::test]
async fn a_file_cut_short_is_refused_and_never_an_empty_queue() {
    let (_folder, path) = place();
    filled(&path).await;
    let whole = fs::read(&path).unwrap();
    for keep in [100, 4_096, whole.len() / 2, whole.len() - 4_096] {
        fs::write(&path, &whole[..keep]).unwrap();
        let error = refusal(&path).await;
        assert_eq!(error.code(), "X_STORE_CORRUPT", "{keep} bytes");
        assert!(error.to_string().contains(path.to_str().unwrap()));
    }
}

/// As the power leaves a file that was about to be made a store.
#[tokio::test]
async fn a_file_that_a_crash_left_in_a_transaction_is_opened_at_once() {
    let (folder, path) = place();
    let crashed = folder.path().join("crashed.db");
    let connection = rusqlite::Connection::open(&crashed).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE theirs (a TEXT); INSERT INTO theirs VALUES ('before');
             PRAGMA cache_size = 2; BEGIN;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
             INSERT INTO theirs SELECT hex(randomblob(500)) FROM n",
        )
        .unwrap();
    for end in ["", "-journal"] {
        let from = format!("{}{end}", crashed.display());
        fs::copy(from, format!("{}{end}", path.display())).unwrap();
    }
    // The log of the switch that is undone.
    fs::write(format!("{}-wal", path.display()), []).unwrap();
    let store = open(&path).await;
    store.stats(None).await.unwrap();
    store.close().await;
    assert_eq!(rows(&path, "theirs"), 1);
}

#[tokio::test]
async fn a_store_that_is_closed_leaves_all_in_one_file() {
    let (folder, path) = place();
    let store = open(&path).await;
    enqueue(&store, &job("kept")).await;
    // From now on there is a connection that only reads.
    store.stats(None).await.unwrap();
    store.close().await;
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_file_with_a_damaged_page_is_refused() {
    let (_folder, path) = place();
    filled(&path).await;
    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(3 * 4_096)).unwrap();
    file.write_all(&[0xA5; 4_096]).unwrap();
    drop(file);
    assert_eq!(refusal(&path).await.code(), "X_STORE_CORRUPT");
}

#[tokio::test]
async fn a_log_without_its_file_is_refused_and_kept() {
    let (folder, path) = place();
    let log = folder.path().join("jobs.db-wal");
    fs::write(&log, [1; 100]).unwrap();
    let error = refusal(&path).await;
    assert_eq!(error.code(), "X_STORE_CORRUPT");
    assert_eq!(fs::metadata(&log).unwrap().len(), 100);
}

#[tokio::test]
async fn a_store_that_lacks_a_table_is_refused() {
    let (_folder, path) = place();
    open(&path).await.close().await;
    raw(&path).execute("DROP TABLE jobs_key", []).unwrap();
    assert_eq!(refusal(&path).await.code(), "X_STORE_CORRUPT");
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_cannot_be_written_to_is_refused_with_the_reason() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = place();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let error = refusal(&path).await;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(error.code(), "X_STORE_SETTINGS");
    assert!(error.to_string().contains(folder.path().to_str().unwrap()));
    assert!(error.fix().contains("write to the folder"));
}

#[tokio::test]
async fn a_store_in_memory_only_is_refused() {
    let error = refusal(Path::new(":memory:")).await;
    assert_eq!(error.code(), "X_STORE_SETTINGS");
}

#[tokio::test]
async fn a_path_is_taken_as_it_is() {
    let (folder, _) = place();
    let path = folder.path().join("a b?mode=memory&é'%41.db");
    open(&path).await.close().await;
    assert!(path.exists());
}

/// A store with enough in it to have many pages.
async fn filled(path: &Path) {
    let store = open(path).await;
    let jobs: Vec<_> = (0..200).map(|_| job("filler")).collect();
    store.enqueue(&jobs, Some(NOW)).await.unwrap();
    store.close().await;
}

/// A store with a job that has a record, and another one beside it, closed; then this statement of
/// somebody whose connection minds no references.
async fn edited(statement: &str) -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = place();
    let store = open(&path).await;
    let mut recorded = job("mail");
    let record = StepRecord::pending("send", RecordKind::Step, NOW);
    recorded.prefix.push(StepRecord {
        position: Some(Position(0)),
        outcome: Some(StepOutcome::Done(Payload::json(*b"7"))),
        ..record
    });
    enqueue(&store, &recorded).await;
    enqueue(&store, &job("beside")).await;
    store.close().await;
    let connection = raw(&path);
    connection
        .execute_batch("PRAGMA foreign_keys = OFF")
        .unwrap();
    let changed = connection.execute(statement, []).unwrap();
    assert_eq!(changed, 1, "{statement}");
    (folder, path)
}

#[tokio::test]
async fn a_store_in_which_an_id_has_changed_is_refused() {
    for statement in [
        "UPDATE jobs_job SET id = CAST(substr(id, 1, 15) || x'ab' AS BLOB) WHERE name = 'mail'",
        "UPDATE jobs_spec SET job = CAST(substr(job, 1, 15) || x'ab' AS BLOB) WHERE rowid = 1",
        "UPDATE jobs_step SET job = CAST(substr(job, 1, 15) || x'ab' AS BLOB)",
    ] {
        let (_folder, path) = edited(statement).await;
        let error = refusal(&path).await;
        assert_eq!(error.code(), "X_STORE_CORRUPT", "{statement}");
        assert!(error.to_string().contains(path.to_str().unwrap()));
        assert!(error.fix().contains("doctor"), "{error:?}");
    }
}

#[tokio::test]
async fn a_job_that_somebody_deleted_by_hand_keeps_nobody_from_the_others() {
    let (_folder, path) = edited("DELETE FROM jobs_job WHERE name = 'mail'").await;
    let store = open(&path).await;
    assert_eq!(store.claim(&claim(10)).await.unwrap().jobs.len(), 1);
    store.close().await;
}
