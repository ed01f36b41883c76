//! A server: its start, its end, and what runs between.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use allclear_application::background::Background;
use allclear_application::clock::Clock;
use allclear_persistence::database::Database;
use allclear_transport::health::Draining;
use allclear_transport::server::{self, AppState};
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::clear_text;
use crate::clock::SystemClock;
use crate::content_services::ContentServices;
use crate::delivery::RunningDeliveries;
use crate::file_permissions;
use crate::identity::IdentityServices;
use crate::infrastructure::Infrastructure;
use crate::metrics;
use crate::public_services::PublicServices;
use crate::services::Services;
use crate::settings::Settings;
use crate::signals::{EndSignal, EndSignals};
use crate::tasks::Tasks;

/// Maximum number of connections that wait to be accepted; the system may allow fewer.
const BACKLOG: u32 = 2048;

/// Longest wait at the end for work of earlier requests, as long as the deliveries take to end.
const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(15);
/// Longest wait at the end for the database, which may hang.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// A running server.
pub struct App {
    address: SocketAddr,
    public_url: String,
    with_clerk: bool,
    pub(crate) identity: IdentityServices,
    pub(crate) content: ContentServices,
    pub(crate) database: Database,
    public: PublicServices,
    draining: Draining,
    background: Background,
    handle: ServerHandle,
    serving: JoinHandle<std::io::Result<()>>,
    running_deliveries: RunningDeliveries,
    tasks: Tasks,
}

impl App {
    /// Starts a server with the system's clock.
    ///
    /// # Errors
    /// One line with the reason why the server cannot start.
    pub async fn start(settings: &Settings) -> Result<Self, String> {
        Self::start_at(settings, Arc::new(SystemClock)).await
    }

    /// Starts a server on a machine with the given clock: opens the database, wires the services
    /// and listens.
    ///
    /// # Errors
    /// One line with the reason why the server cannot start.
    pub async fn start_at(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let clerk = settings.clerk.application()?;
        // Bound first, because the port is a part of addresses. Connections are refused until the
        // server can respond: a migration may take minutes, and a proxy would wait for it.
        let (socket, address) = bind(settings.listen)?;
        let public_url = settings.public_url(address.port());
        if settings.uses_data_folder() {
            file_permissions::data_folder(&settings.data_dir)?;
        }
        clear_text::warn(settings)?;
        metrics::install();

        let infra = Infrastructure::open(settings, public_url, clock).await?;
        let services = Services::load(&infra, clerk.as_ref()).await?;
        let draining = Draining::default();
        let state = services.state(&infra, clerk.as_ref(), draining.clone())?;
        let (handle, serving) = start_server(state, (socket, address))?;
        let mut tasks = Tasks::default();
        let running_deliveries = services.start_tasks(&mut tasks, &infra);
        Ok(Self {
            address,
            with_clerk: clerk.is_some(),
            identity: services.identity,
            content: services.content,
            database: Database::clone(&infra.store()),
            public: services.public,
            draining,
            background: infra.background,
            public_url: infra.public_url,
            handle,
            serving,
            running_deliveries,
            tasks,
        })
    }

    /// Address that the server listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether people sign in with Clerk.
    pub(crate) const fn is_with_clerk(&self) -> bool {
        self.with_clerk
    }

    /// Public address of the installation.
    #[must_use]
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Serves until a signal asks the process to end, then stops. After a SIGTERM the server is not
    /// ready, but still serves for `delay` or until the next signal.
    ///
    /// # Errors
    /// One line, if the server fails.
    pub(crate) async fn serve_until(
        mut self,
        mut signals: EndSignals,
        delay: Duration,
    ) -> Result<(), String> {
        let result = tokio::select! {
            ended = &mut self.serving => Err(match ended {
                Ok(Err(error)) => error.to_string(),
                Ok(Ok(())) => "the server ended by itself".to_owned(),
                Err(error) => error.to_string(),
            }),
            signal = signals.next() => {
                self.draining.begin();
                if signal == EndSignal::Terminate && !delay.is_zero() {
                    tracing::info!(seconds = delay.as_secs_f64(), "shutting down: not ready");
                    let _ = timeout(delay, signals.next()).await;
                }
                Ok(())
            }
        };
        match &result {
            Ok(()) => tracing::info!("shutting down: finishing open requests"),
            Err(error) => tracing::error!(error, "the server has failed"),
        }
        // A second Ctrl+C does not wait for open requests.
        let interrupted = async { while signals.next().await != EndSignal::Interrupt {} };
        tokio::select! {
            () = self.stop() => {}
            () = interrupted => tracing::warn!("stopped at once; open requests were not finished"),
        }
        result
    }

    /// Stops in order: not ready, no new connections, streams and sockets closed, requests
    /// finished, mail sent, database closed.
    pub async fn stop(self) {
        self.draining.begin();
        // Before the workers stop: a polling session lives on one of them.
        self.public.sockets.close().await;
        // A worker that has only viewers ends immediately.
        self.public.viewers.close();
        self.handle.stop(true).await;
        let background = timeout(BACKGROUND_TIMEOUT, self.background.wait_idle());
        let (background, ()) = tokio::join!(background, self.running_deliveries.stop());
        if background.is_err() {
            tracing::warn!(
                "work of earlier requests did not end in time; mails about accounts may be lost"
            );
        }
        drop(self.tasks);
        match timeout(CLOSE_TIMEOUT, self.database.close()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the database was not closed cleanly"
            ),
            Err(_) => tracing::warn!("the database was not closed cleanly: it did not respond"),
        }
    }
}

/// Binds the configured address, without accepting connections yet: until then another process may
/// bind it, too. Returns the actual address as well, because port 0 chooses a free port.
fn bind(address: SocketAddr) -> Result<(TcpSocket, SocketAddr), String> {
    let bound = || {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        // Connections of a former process may still be closing.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let address = socket.local_addr()?;
        Ok((socket, address))
    };
    bound().map_err(|error: std::io::Error| format!("{address}: {error}"))
}

/// Lets connections wait to be accepted.
fn listen((socket, address): (TcpSocket, SocketAddr)) -> Result<std::net::TcpListener, String> {
    let listener = socket.listen(BACKLOG).and_then(TcpListener::into_std);
    listener.map_err(|error| format!("{address}: {error}"))
}

/// Accepts connections, and starts one worker per core.
fn start_server(
    state: AppState,
    bound: (TcpSocket, SocketAddr),
) -> Result<(ServerHandle, JoinHandle<std::io::Result<()>>), String> {
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let listener = listen(bound)?;
    let server = server::start(state, listener, workers).map_err(|error| error.to_string())?;
    Ok((server.handle(), tokio::spawn(server)))
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn hundreds_of_connections_wait_to_be_accepted() {
        let bound = bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = bound.1;
        let _listener = listen(bound).unwrap();
        // The kernel leaves the 130th without a response if only 128 may wait.
        let connected = || TcpStream::connect_timeout(&address, Duration::from_millis(900));
        let waiting: Vec<_> = (0..400).map(|_| connected().unwrap()).collect();
        assert_eq!(waiting.len(), 400);
    }
}
