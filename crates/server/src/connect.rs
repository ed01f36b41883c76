//! Opens the connections to the configured database and to the other nodes.

use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use allclear_application::broadcast::Broadcast;
use allclear_application::clock::Clock;
use allclear_broadcast::{InProcess, Redis, RedisOptions};
use allclear_persistence::database::Database;
use allclear_persistence::{database_url, sqlite_file};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::clock::SystemClock;
use crate::file_permissions;
use crate::installation::Installation;
use crate::node_clock::NodeClock;
use crate::output::{one_line, with_causes};
use crate::settings::Settings;
use crate::tasks::Tasks;

/// Timeout of the connection that finds out why a database cannot be opened.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Opens the configured database, and corrects the clock by it.
///
/// # Errors
/// One line, without the password in the database's address.
pub(crate) async fn database(
    settings: &Settings,
    clock: &Arc<NodeClock>,
) -> Result<Database, String> {
    if let Some(file) = sqlite_file::path_of(&settings.database()) {
        file_permissions::database_files(&file)?;
    }
    let url = settings.database();
    let opened = Database::connect(&url, Arc::clone(clock) as _).await;
    let database = match opened {
        Ok(database) => database,
        Err(error) => return Err(not_opened(&url, &error.to_string()).await),
    };
    if !settings.is_on_sqlite() {
        let compared = clock.compare(&database).await;
        compared.map_err(|error| with_causes(&error))?;
    }
    Ok(database)
}

/// The line that says why a database cannot be opened, without the password in its address.
pub(crate) async fn not_opened(url: &str, error: &str) -> String {
    let reason = match unreachable(url).await {
        Some(reason) => reason,
        None => one_line(error),
    };
    let place = database_url::place_of(url);
    format!("the database cannot be opened: {place}: {reason}")
}

/// Why the server of a database accepts no connection; `None` if it does, or if the database is not
/// on the network. The driver repeats a refused connection until it only says that the time was up.
async fn unreachable(url: &str) -> Option<String> {
    let (host, port) = database_url::network_address(url)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match timeout(PROBE_TIMEOUT, TcpStream::connect((host, port))).await {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("the server does not respond".to_owned()),
    }
}

/// Checks that an SQLite database is there, for a command that makes no sense on a new one: in the
/// wrong folder it would make an empty installation and succeed.
///
/// # Errors
/// One line that names the missing file.
pub(crate) fn require_database(settings: &Settings) -> Result<(), String> {
    let Some(file) = sqlite_file::path_of(&settings.database()) else {
        return Ok(());
    };
    let name = file.display();
    match fs::metadata(&file) {
        Ok(found) if found.len() > 0 => Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!("{name}: {error}")),
        _ => Err(format!(
            "there is no database {name}: run the command with the settings of the server, such as ALLCLEAR_DATA_DIR or ALLCLEAR_DATABASE_URL"
        )),
    }
}

/// Runs a command on the configured database, and closes the database, also if the command fails.
///
/// # Errors
/// One line: the error of the command, or why the database cannot be opened or closed.
pub(crate) async fn with_database<T>(
    settings: &Settings,
    command: impl AsyncFnOnce(&Database, &Arc<dyn Clock>) -> Result<T, String>,
) -> Result<T, String> {
    let clock = Arc::new(NodeClock::new(Arc::new(SystemClock)));
    let database = database(settings, &clock).await?;
    let clock: Arc<dyn Clock> = clock;
    let outcome = command(&database, &clock).await;
    let closed = database.close().await.map_err(|error| with_causes(&error));
    outcome.and_then(|value| closed.map(|()| value))
}

/// The broadcast between the nodes of an installation.
pub(crate) enum NodeBroadcast {
    /// There is one node.
    InProcess(Arc<InProcess>),
    /// Several nodes share a Redis.
    Redis(Arc<Redis>),
}

impl NodeBroadcast {
    pub(crate) fn port(&self) -> Arc<dyn Broadcast> {
        match self {
            Self::InProcess(broadcast) => Arc::clone(broadcast) as _,
            Self::Redis(broadcast) => Arc::clone(broadcast) as _,
        }
    }

    /// Starts what runs beside the broadcast.
    pub(crate) fn start(&self, tasks: &mut Tasks) {
        let Self::Redis(redis) = self else {
            return;
        };
        let publisher = Arc::clone(redis);
        tasks.start("redis_publisher", move || {
            let redis = Arc::clone(&publisher);
            async move { redis.run_publisher().await }
        });
        let subscriber = Arc::clone(redis);
        tasks.start("redis_subscriber", move || {
            let redis = Arc::clone(&subscriber);
            async move { redis.run_subscriber().await }
        });
    }
}

/// The configured broadcast between nodes.
///
/// # Errors
/// One line that names the wrong setting.
pub(crate) fn broadcast(
    settings: &Settings,
    installation: &Installation,
) -> Result<NodeBroadcast, String> {
    let Some(url) = &settings.redis.redis_url else {
        return Ok(NodeBroadcast::InProcess(Arc::default()));
    };
    let authorities = settings.redis.authorities()?;
    let redis = Redis::new(RedisOptions {
        url: url.reveal(),
        authorities,
        installation: &installation.name,
        key: installation.hmac_key.clone(),
    })
    .map_err(|_| {
        "ALLCLEAR_REDIS_URL is not an address of Redis, or ALLCLEAR_REDIS_CA_FILE is not PEM"
            .to_owned()
    })?;
    Ok(NodeBroadcast::Redis(Arc::new(redis)))
}
