//! How a store in Postgres is set up.

use crate::Error;
use crate::clock::Env;
use crate::drivers::memory::{DEFAULT_PAYLOAD_LIMIT_BYTES, MAX_PAYLOAD_LIMIT_BYTES};
use sqlx::postgres::PgConnectOptions;
use std::time::Duration;

/// Connections of one client for requests, beside one for commits, one for heartbeats and one for
/// hints.
pub const DEFAULT_CONNECTIONS: u32 = 6;

/// The schema that the tables are in.
pub const DEFAULT_SCHEMA: &str = "jobs";

/// Characters of a schema's name: Postgres cuts longer names.
const MAX_SCHEMA_CHARS: usize = 48;

/// What a name of a schema may be.
const SCHEMA_FIX: &str =
    "use lower-case letters, digits and underscores, a letter first, and at most 48 of them";

/// Parameters of a URL that are this driver's own; the others are sqlx's.
const OWN: [&str; 3] = ["schema", "connections", "payload_limit"];

/// Those that sqlx reads; it passes over others with no more than a warning. Not among them: what
/// asks for TLS, which this version does not speak.
const OF_SQLX: [&str; 10] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "sslmode",
    "statement-cache-capacity",
    "user",
];

/// How a store in Postgres is set up.
///
/// ```
/// use jobs_runtime::drivers::postgres::PostgresOptions;
///
/// # fn main() -> Result<(), jobs_runtime::Error> {
/// let options = PostgresOptions::from_url("postgres://app@localhost/shop?schema=work")?;
/// # let _ = options.connections(4);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct PostgresOptions {
    pub(super) connect: PgConnectOptions,
    pub(super) schema: String,
    pub(super) connections: u32,
    pub(super) acquire_timeout: Duration,
    pub(super) payload_limit_bytes: usize,
    pub(super) env: Env,
    /// Another expression for the time of the store.
    pub(super) clock: Option<String>,
}

impl PostgresOptions {
    /// For the server, database and user of a URL, with every parameter that sqlx knows
    /// (`application_name`, `host`, `options`, ..) but those for TLS, and `schema` (`jobs`),
    /// `connections` (6) and `payload_limit` in bytes (1 MiB, at most 16 MiB).
    ///
    /// # Errors
    /// `X_URL_INVALID`, naming the parameter.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        check_names(url)?;
        let (own, others) = split(url);
        let connect: PgConnectOptions = others.parse().map_err(|error: sqlx::Error| {
            let fix = "write it as in \"postgres://user:password@host:5432/database\"";
            Error::url_invalid(url, error, fix)
        })?;
        let mut options = PostgresOptions::of(connect, DEFAULT_SCHEMA)?;
        for (name, value) in own {
            let number = || {
                let fix = format!("write `{name}` as a whole number above zero");
                let number: Option<u32> = value.parse().ok().filter(|it| *it > 0);
                let what = format!("`{name}={value}` is no number above zero");
                number.ok_or_else(|| Error::url_invalid(url, what, fix))
            };
            match name.as_str() {
                "schema" => options.schema = checked_schema(url, &value)?,
                "connections" => options.connections = number()?,
                _ => {
                    let bytes = usize::try_from(number()?).unwrap_or(usize::MAX);
                    options.payload_limit_bytes = bytes.min(MAX_PAYLOAD_LIMIT_BYTES);
                }
            }
        }
        Ok(options)
    }

    /// For a database that sqlx knows how to reach.
    pub(super) fn of(connect: PgConnectOptions, schema: &str) -> Result<Self, Error> {
        if !is_schema(schema) {
            return Err(Error::store_settings(
                format_args!(
                    "the connections of the pool say `jobs.schema = {schema}`, which is no name for a schema of the store"
                ),
                SCHEMA_FIX,
            ));
        }
        Ok(PostgresOptions {
            connect,
            schema: schema.to_owned(),
            connections: DEFAULT_CONNECTIONS,
            acquire_timeout: Duration::from_secs(30),
            payload_limit_bytes: DEFAULT_PAYLOAD_LIMIT_BYTES,
            env: Env::system(),
            clock: None,
        })
    }

    /// Connections for requests, from 1 on; three more are used beside them.
    #[must_use]
    pub fn connections(mut self, connections: u32) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// How long a request waits for a connection before it answers `X_DRIVER_UNAVAILABLE`, and how
    /// long connecting waits for the server (30 seconds).
    #[must_use]
    pub fn acquire_timeout(mut self, timeout: Duration) -> Self {
        self.acquire_timeout = timeout;
        self
    }

    /// Takes the time of the store from this expression of SQL, in milliseconds: for harnesses, in
    /// which leases of seconds pass in moments. All clients of a store must use the same.
    #[doc(hidden)]
    #[must_use]
    pub fn clock(mut self, milliseconds: String) -> Self {
        self.clock = Some(milliseconds);
        self
    }

    /// The clock and random bits of the client. The time of the store is the server's.
    #[must_use]
    pub fn env(mut self, env: Env) -> Self {
        self.env = env;
        self
    }
}

/// Refuses a parameter that would be passed over: a schema that is misspelled is another store.
fn check_names(url: &str) -> Result<(), Error> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    for parameter in query.split('&').filter(|it| !it.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let known = OWN.iter().chain(&OF_SQLX).copied();
        if !known.clone().any(|own| own == name) && !name.starts_with("options[") {
            let fix = format!("use one of {}", known.collect::<Vec<_>>().join(", "));
            let why = format!("there is no parameter `{name}`");
            return Err(Error::url_invalid(url, why, fix));
        }
        if name == "sslmode" && !["allow", "disable", "prefer"].contains(&value) {
            let fix = "reach the server over a network that you trust, with `sslmode=disable`";
            let why = format!("`sslmode={value}` asks for TLS, which this version does not speak");
            return Err(Error::url_invalid(url, why, fix));
        }
    }
    Ok(())
}

/// A name that needs no thought in any quotes: nothing that a user gives becomes syntax.
fn is_schema(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '_';
    let is_plain = name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
    name.starts_with(is_letter) && is_plain && name.len() <= MAX_SCHEMA_CHARS
}

fn checked_schema(url: &str, name: &str) -> Result<String, Error> {
    if is_schema(name) {
        return Ok(name.to_owned());
    }
    let what = format_args!("\"{name}\" is no name for a schema of the store");
    Err(Error::url_invalid(url, what, SCHEMA_FIX))
}

/// The parameters that are ours, and the URL without them.
fn split(url: &str) -> (Vec<(String, String)>, String) {
    let Some((base, query)) = url.split_once('?') else {
        return (Vec::new(), url.to_owned());
    };
    let (own, others): (Vec<&str>, Vec<&str>) = query.split('&').partition(|parameter| {
        let name = parameter.split('=').next().unwrap_or_default();
        OWN.contains(&name)
    });
    let own = own.into_iter().filter_map(|it| it.split_once('='));
    let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let rest = match others.is_empty() {
        true => base.to_owned(),
        false => format!("{base}?{}", others.join("&")),
    };
    (own.collect(), rest)
}
