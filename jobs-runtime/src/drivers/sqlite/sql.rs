//! Every statement, by the name of its file. Nothing is assembled from what users give.
//!
//! The files say why each is safe against other writers; how rows are read is in `row.rs`.

/// The text below the comment at the top, which the statement cache need not carry along.
const fn body(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() && bytes[at] == b'-' && bytes[at + 1] == b'-' {
        while at < bytes.len() && bytes[at] != b'\n' {
            at += 1;
        }
        at += 1;
    }
    text.split_at(at).1
}

/// Takes the one write lock of the file now. A deferred transaction would take it at its first
/// write, and fail there if somebody else had written since its first read.
pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";
/// A snapshot for a reader.
pub(super) const BEGIN_READ: &str = "BEGIN DEFERRED";
pub(super) const COMMIT: &str = "COMMIT";
pub(super) const ROLLBACK: &str = "ROLLBACK";
/// One item of a group: it can fail without the others.
pub(super) const SAVE: &str = "SAVEPOINT item";
pub(super) const RELEASE: &str = "RELEASE item";
pub(super) const UNDO: &str = "ROLLBACK TO item";

macro_rules! statements {
    ($($name:ident = $file:literal;)*) => {
        $(pub(super) const $name: &str = body(include_str!(concat!("sql/", $file, ".sql")));)*

        /// Every statement with its file's name.
        pub(super) const ALL: &[(&str, &str)] = &[$(($file, $name)),*];
    };
}

statements! {
    CALLER_FILE = "caller_file";
    CALLER_LOCK = "caller_lock";
    CHAIN_JOIN = "chain_join";
    CHILD_AWAITED = "child_awaited";
    CHILD_OF_STEP = "child_of_step";
    CHILD_OWNED = "child_owned";
    CHILD_RENAME = "child_rename";
    CHILD_WAITS = "child_waits";
    CLAIM_LANE = "claim_lane";
    CLAIM_LANE_FROM = "claim_lane_from";
    CLAIM_LATER = "claim_later";
    CLAIM_LEASE = "claim_lease";
    CLAIM_PRIORITY = "claim_priority";
    CLAIM_QUEUE = "claim_queue";
    CLAIM_SET_ASIDE = "claim_set_aside";
    CLAIM_VISIBLE = "claim_visible";
    COUNTER_NEXT = "counter_next";
    DEAD_DELETE = "dead_delete";
    DEAD_INSERT = "dead_insert";
    DEAD_LOAD = "dead_load";
    DEAD_PRUNE = "dead_prune";
    ENDED_DELETE = "ended_delete";
    ENDED_INSERT = "ended_insert";
    ENDED_LOAD = "ended_load";
    ENDED_NAME = "ended_name";
    ENDED_PRUNE = "ended_prune";
    ENDED_PRUNE_AGE = "ended_prune_age";
    ENDED_PRUNE_COUNT = "ended_prune_count";
    ENDED_STATE = "ended_state";
    ENQUEUE_FIND = "enqueue_find";
    ENQUEUE_INPUT = "enqueue_input";
    ENQUEUE_INSERT = "enqueue_insert";
    ENQUEUE_SPEC = "enqueue_spec";
    EVENT_FIND = "event_find";
    EVENT_INSERT = "event_insert";
    EVENT_LIST = "event_list";
    EVENT_LIST_NAME = "event_list_name";
    EVENT_MATCHING_KEY = "event_matching_key";
    EVENT_MATCHING_NAME = "event_matching_name";
    EVENT_PRUNE = "event_prune";
    HEAD_LOAD = "head_load";
    HEAD_NUDGE = "head_nudge";
    HEAD_PROGRESS = "head_progress";
    HEAD_UPDATE = "head_update";
    HEARTBEAT_EXTEND = "heartbeat_extend";
    INBOX_FORGET = "inbox_forget";
    INBOX_LOAD = "inbox_load";
    INBOX_NEWS = "inbox_news";
    INBOX_PIN = "inbox_pin";
    JOB_DELETE = "job_delete";
    JOB_LOAD = "job_load";
    KEY_FOLLOW = "key_follow";
    KEY_HOLDER = "key_holder";
    KEY_KEEP = "key_keep";
    KEY_NEXT = "key_next";
    KEY_PASS = "key_pass";
    KEY_PRUNE = "key_prune";
    KEY_RELEASE = "key_release";
    KEY_TAKE = "key_take";
    KEY_UNFOLLOW = "key_unfollow";
    LEASE_SHORTEST = "lease_shortest";
    LIST_BUSY = "list_busy";
    LIST_DEAD = "list_dead";
    LIST_ENDED = "list_ended";
    LIST_LIVE = "list_live";
    LIVE_KEY = "live_key";
    LIVE_QUEUE = "live_queue";
    LIVE_TENANT = "live_tenant";
    LOG_INSERT = "log_insert";
    LOG_LOAD = "log_load";
    LOG_TRIM = "log_trim";
    MARK_MOVE = "mark_move";
    MARK_PRUNE = "mark_prune";
    NAME_NEXT = "name_next";
    NOTE_LOAD = "note_load";
    NOTE_STORE = "note_store";
    PACE_LOAD = "pace_load";
    PACE_PRUNE = "pace_prune";
    PACE_STORE = "pace_store";
    REPLACE_EXPIRY = "replace_expiry";
    REPLACE_INPUT = "replace_input";
    REPLACED_FIND = "replaced_find";
    REPLACED_INSERT = "replaced_insert";
    REPLACED_PRUNE = "replaced_prune";
    RUN_FIND = "run_find";
    SETTING_DELETE = "setting_delete";
    SETTING_LIST = "setting_list";
    SETTING_LOAD = "setting_load";
    SETTING_STORE = "setting_store";
    STATS_DEAD = "stats_dead";
    STATS_DEAD_QUEUE = "stats_dead_queue";
    STATS_DELAYED = "stats_delayed";
    STATS_PARKED = "stats_parked";
    STATS_PARKED_QUEUE = "stats_parked_queue";
    STATS_READY = "stats_ready";
    STATS_STATE = "stats_state";
    STEP_DELETE = "step_delete";
    STEP_LOAD = "step_load";
    STEP_UPSERT = "step_upsert";
    TOLD_DELETE = "told_delete";
    TOLD_INSERT = "told_insert";
    TOLD_LOAD = "told_load";
    TURN_LOAD = "turn_load";
    TURN_STORE = "turn_store";
    WAIT_DELETE = "wait_delete";
    WAIT_INSERT = "wait_insert";
    WAIT_LOAD = "wait_load";
    WAIT_MATCHING = "wait_matching";
    WORKER_LIST = "worker_list";
}
