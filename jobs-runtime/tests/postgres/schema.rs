//! How the schema comes to be.

use super::*;
use jobs_runtime::drivers::postgres::schema_script;
use sqlx::AssertSqlSafe;

async fn versions(pool: &PgPool, schema: &str) -> Vec<i32> {
    let sql = format!("SELECT version FROM {schema}.migration ORDER BY version");
    let rows = sqlx::query_scalar(AssertSqlSafe(sql));
    rows.fetch_all(pool).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn sixteen_clients_make_the_schema_once() {
    let schema = new_schema();
    let clients: Vec<_> = (0..16)
        .map(|_| {
            let schema = schema.clone();
            tokio::spawn(async move { connect(&schema).await })
        })
        .collect();
    for client in clients {
        client.await.unwrap().close().await;
    }
    assert_eq!(versions(&operator().await, &schema).await, [1]);
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn what_is_printed_is_what_is_made() {
    let (schema, pool) = (new_schema(), operator().await);
    sqlx::raw_sql(AssertSqlSafe(schema_script(&schema)))
        .execute(&pool)
        .await
        .unwrap();
    let jobs = connect(&schema).await;
    assert_eq!(versions(&pool, &schema).await, [1]);
    jobs.close().await;
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_store_of_a_newer_version_is_left_alone() {
    let (schema, pool) = (new_schema(), operator().await);
    connect(&schema).await.close().await;
    let newer = format!("INSERT INTO {schema}.migration (version, name) VALUES (99, 'later')");
    sqlx::raw_sql(AssertSqlSafe(newer))
        .execute(&pool)
        .await
        .unwrap();
    let error = Jobs::connect(&url(&schema)).await.err().unwrap();
    assert_eq!(error.code(), "X_SCHEMA_NEWER");
    assert_eq!(versions(&pool, &schema).await, [1, 99]);
}

#[tokio::test]
async fn a_parameter_that_would_be_passed_over_is_refused() {
    for (parameter, words) in [
        ("shema=work", "use one of schema,"),
        ("connections=0", "above zero"),
        ("connections=many", "above zero"),
        ("sslmode=require", "sslmode=disable"),
        ("nonsense", "application_name"),
    ] {
        let url = format!("postgres://jobs@127.0.0.1:1/jobs?{parameter}");
        let error = Jobs::connect(&url).await.err().unwrap();
        assert_eq!(error.code(), "X_URL_INVALID", "{parameter}");
        assert!(error.fix().contains(words), "{parameter}: {}", error.fix());
    }
}

#[tokio::test]
async fn the_name_of_a_schema_is_never_syntax() {
    for name in ["", "1a", "Jobs", "a\"b", "a;b", "a b", &"a".repeat(49)] {
        let url = format!("postgres://jobs@127.0.0.1:1/jobs?schema={name}");
        let error = Jobs::connect(&url).await.err().unwrap();
        assert_eq!(error.code(), "X_URL_INVALID", "{name}");
    }
}
