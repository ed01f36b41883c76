//! Accepts the connections of one worker and gives them to actix's HTTP/1 server.

use std::cell::RefCell;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive, Request};
use actix_server::GracefulShutdownSignal;
use actix_service::{Service, ServiceFactory, fn_factory, fn_service};
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, Extensions};
use actix_web::rt::net::TcpStream;
use actix_web::{Error, HttpResponse};
use allclear_socketio::{Settings, set_tcp_options};
use tokio::task::spawn_local;

use crate::limit::client_limits::ClientLimits;
use crate::server::connection::ClientStream;
use crate::server::connection::open_connections::Connections;
use crate::server::timeouts::Timeouts;

/// Bytes that the HTTP server copies before it writes them to a connection.
const WRITE_BUFFER: usize = 16 * 1024;
/// How long actix waits for the end of a connection that it closes. Actix compares with a
/// clock that it updates every half second; a shorter time could be over before the
/// comparison and be missed.
const DISCONNECT_TIMEOUT: Duration = Duration::from_millis(600);

/// What all workers accept connections with.
pub(crate) struct Accept {
    pub(crate) sockets: Settings,
    pub(crate) timeouts: Timeouts,
    pub(crate) clients: Arc<ClientLimits>,
    pub(crate) shutdown: GracefulShutdownSignal,
}

/// The connections of one worker and their HTTP server, as `new_http` makes it. The HTTP server has
/// a clock that wakes the worker twice a second, so it exists only while connections do.
struct Worker<H, N> {
    connections: Rc<Connections>,
    http: RefCell<Weak<H>>,
    new_http: N,
}

/// A connection as actix's HTTP server takes it.
type Accepted = (ClientStream, Option<SocketAddr>);

impl Accept {
    /// The service of a worker for the connections to this app.
    pub(crate) fn worker<A, B>(
        self: &Arc<Self>,
        app: A,
    ) -> impl ServiceFactory<
        TcpStream,
        Config = (),
        Response = (),
        Error = DispatchError,
        InitError = (),
    > + use<A, B>
    where
        A: ServiceFactory<Request, Config = AppConfig, Response = HttpResponse<B>, Error = Error>
            + 'static,
        A::InitError: Debug,
        B: MessageBody + 'static,
    {
        let (app, accept) = (Rc::new(app), Arc::clone(self));
        fn_factory(move || {
            let (app, accept) = (Rc::clone(&app), Arc::clone(&accept));
            async move {
                let app = app.new_service(AppConfig::default()).await;
                let app = Rc::new(app.map_err(|error| tracing::error!(?error, "app not started"))?);
                let timeouts = accept.timeouts;
                let connections = Connections::new(
                    timeouts.keep_alive + timeouts.head,
                    Arc::clone(&accept.clients),
                );
                spawn_local(Connections::close_idle(Rc::downgrade(&connections)));
                let settings = Arc::clone(&accept);
                let worker = Rc::new(Worker {
                    connections,
                    http: RefCell::default(),
                    new_http: move || Arc::clone(&settings).http(Rc::clone(&app)),
                });
                Ok(fn_service(move |tcp: TcpStream| {
                    set_tcp_options(&tcp, &accept.sockets);
                    Rc::clone(&worker).serve(tcp)
                }))
            }
        })
    }

    /// An HTTP server for the app.
    async fn http<A, B>(
        self: Arc<Self>,
        app: Rc<A>,
    ) -> Result<impl Service<Accepted, Response = (), Error = DispatchError> + use<A, B>, ()>
    where
        A: Service<Request, Response = HttpResponse<B>, Error = Error> + 'static,
        B: MessageBody + 'static,
    {
        let shutdown = self.shutdown.clone();
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let shutdown = shutdown.clone();
                async move { shutdown.notified().await }
            })
            // Bounds the time for the first head of a connection. `Connections` bounds the time
            // between requests, so actix needs no timer for each request.
            .client_request_timeout(self.timeouts.head)
            .keep_alive(KeepAlive::Os)
            .client_disconnect_timeout(DISCONNECT_TIMEOUT)
            // A closed connection is noticed by the next read; a silent one when it has accepted no
            // data for long.
            .h1_allow_half_closed(false)
            // Bounds the memory for a client that has stopped reading.
            .h1_write_buffer_size(WRITE_BUFFER)
            .on_connect_ext(|stream: &ClientStream, data: &mut Extensions| {
                data.insert(Rc::clone(stream.connection()));
            })
            .h1(fn_factory(move || {
                let app = Rc::clone(&app);
                async move { Ok::<_, ()>(app) }
            }));
        http.new_service(()).await
    }
}

impl<H, N, F> Worker<H, N>
where
    H: Service<Accepted, Response = (), Error = DispatchError>,
    N: Fn() -> F,
    F: Future<Output = Result<H, ()>>,
{
    /// Serves a connection until it closes, or until an event stream or a WebSocket takes it.
    async fn serve(self: Rc<Self>, tcp: TcpStream) -> Result<(), DispatchError> {
        let peer = tcp.peer_addr().ok();
        let stream = self.connections.accept(tcp)?;
        let running = self.http.borrow().upgrade();
        let http = if let Some(http) = running {
            http
        } else {
            let http = (self.new_http)().await;
            let http = Rc::new(http.map_err(|()| DispatchError::InternalError)?);
            self.http.replace(Rc::downgrade(&http));
            http
        };
        http.call((stream, peer)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::cell::Cell;
    use std::future::ready;

    use tokio::sync::Notify;

    use crate::limit::client_limits::tests::unlimited;
    use crate::server::connection::tests::pair;

    #[actix_web::test]
    async fn http_server_exists_while_connections_do() {
        let (made, end) = (Rc::new(Cell::new(0)), Rc::new(Notify::new()));
        let (count, ended) = (Rc::clone(&made), Rc::clone(&end));
        let worker = Rc::new(Worker {
            connections: Connections::new(Duration::from_mins(1), Arc::new(unlimited())),
            http: RefCell::default(),
            new_http: move || {
                count.set(count.get() + 1);
                let ended = Rc::clone(&ended);
                ready(Ok::<_, ()>(fn_service(move |_: Accepted| {
                    let ended = Rc::clone(&ended);
                    async move {
                        ended.notified().await;
                        Ok::<_, DispatchError>(())
                    }
                })))
            },
        });
        for turn in 1..=2 {
            let mut served = Vec::new();
            for _ in 0..2 {
                let accepted = pair().await.1;
                served.push(spawn_local(Rc::clone(&worker).serve(accepted)));
                tokio::task::yield_now().await;
            }
            assert_eq!(made.get(), turn);
            end.notify_waiters();
            for connection in served {
                connection.await.unwrap().unwrap();
            }
            assert!(worker.http.borrow().upgrade().is_none());
        }
    }
}
