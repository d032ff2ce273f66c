//! Every statement, by the name of its file, for one schema of a database. Nothing is assembled
//! from what users give: the name of the schema is checked, and stands in quotes.

use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};
use std::sync::Arc;

/// One statement.
#[derive(Clone, Debug)]
pub(super) struct Sql(Arc<str>);

impl Sql {
    fn new(text: &str, schema: &str) -> Self {
        Sql(in_schema(text, schema).into())
    }

    /// The same for the dead letters, which lie as the ended jobs do.
    fn of_dead(&self) -> Self {
        Sql(self.0.replace("\".ended", "\".dead").into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl SqlSafeStr for &Sql {
    fn into_sql_str(self) -> SqlStr {
        AssertSqlSafe(Arc::clone(&self.0)).into_sql_str()
    }
}

/// A text in which `jobs.` names the tables, without the comment at its top.
pub(super) fn in_schema(text: &str, schema: &str) -> String {
    let lines = text.lines().skip_while(|line| line.starts_with("--"));
    let body: Vec<&str> = lines.collect();
    body.join("\n").replace("jobs.", &format!("\"{schema}\"."))
}

impl Statements {
    /// Takes the time from another expression.
    pub(super) fn by_clock(mut self, milliseconds: Option<&str>) -> Self {
        if let Some(milliseconds) = milliseconds {
            self.clock = Sql(format!("SELECT {milliseconds}").into());
        }
        self
    }
}

macro_rules! statements {
    ($($name:ident)*; of_dead $($dead:ident = $ended:ident)*) => {
        pub(super) struct Statements {
            pub(super) schema: String,
            $(pub(super) $name: Sql,)*
            $(pub(super) $dead: Sql,)*
        }

        impl Statements {
            pub(super) fn new(schema: &str) -> Self {
                $(let $name = Sql::new(
                    include_str!(concat!("sql/", stringify!($name), ".sql")), schema);)*
                Statements {
                    schema: schema.to_owned(),
                    $($dead: $ended.of_dead(),)*
                    $($name,)*
                }
            }
        }
    };
}

statements! {
    claim_later claim_rows clock
    end_jobs ended_inbox ended_log ended_names ended_prune ended_prune_age
    ended_prune_count ended_spec ended_steps
    event_for_key event_for_name event_insert event_list event_list_name event_load event_prune
    gone_load
    head_update
    inbox_delete inbox_insert inbox_load inbox_news
    job_insert job_load job_load_free job_peek
    key_delete key_load key_prune key_store
    list_ended list_live live_key live_names live_queue live_tenant
    lock_claim lock_keys lock_keys_of_jobs lock_names lock_names_shared
    log_insert log_load log_trim
    mark_move mark_prune
    numbers_draw
    owned_load
    pace_load pace_prune pace_store
    queues
    replaced_insert replaced_load replaced_prune
    revive run_find
    setting_delete setting_list setting_load setting_lock setting_store
    spec_insert spec_load spec_update
    stats stats_queues
    step_delete step_load step_pending step_upsert
    strips
    told_delete told_insert told_load
    turn_load turn_store
    wait_delete wait_insert wait_load
    workers;
    of_dead
    dead_inbox = ended_inbox
    dead_log = ended_log
    dead_prune = ended_prune
    dead_spec = ended_spec
    dead_steps = ended_steps
    end_dead = end_jobs
    list_dead = list_ended
    revive_dead = revive
}
