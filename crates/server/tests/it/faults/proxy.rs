//! A network between the product and its database that the test can break.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::process::lasting_port;

/// Passes bytes on to a server.
pub(super) struct Proxy {
    address: SocketAddr,
    server: String,
    swallows: watch::Sender<bool>,
    passing: JoinHandle<()>,
}

impl Proxy {
    /// Before a server, given as host and port.
    pub(super) async fn before(server: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, lasting_port()))
            .await
            .unwrap();
        let address = listener.local_addr().unwrap();
        let swallows = watch::Sender::new(false);
        let passing = tokio::spawn(pass(listener, server.to_owned(), swallows.subscribe()));
        Self {
            address,
            server: server.to_owned(),
            swallows,
            passing,
        }
    }

    /// Where the product finds the server.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops forwarding without closing: connections stay open, and new ones are accepted.
    pub(super) fn swallow(&self) {
        self.swallows.send_replace(true);
    }

    /// Forwards the delayed bytes, as after a suspended process continues.
    pub(super) fn go_on(&self) {
        self.swallows.send_replace(false);
    }

    /// Connections end, and new ones are refused.
    pub(super) async fn close(&mut self) {
        self.passing.abort();
        let _ = (&mut self.passing).await;
    }

    /// Leads to another server from now on.
    pub(super) async fn lead_to(&mut self, server: &str) {
        self.close().await;
        server.clone_into(&mut self.server);
        self.open().await;
    }

    /// Takes connections again.
    pub(super) async fn open(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.passing = tokio::spawn(pass(
            listener,
            self.server.clone(),
            self.swallows.subscribe(),
        ));
    }
}

async fn pass(listener: TcpListener, server: String, swallows: watch::Receiver<bool>) {
    // Dropped with this task, and with them every connection.
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let (server, swallows) = (server.clone(), swallows.clone());
        connections.spawn(async move {
            let Ok(server) = TcpStream::connect(server).await else {
                return;
            };
            let ((from_client, to_client), (from_server, to_server)) =
                (client.into_split(), server.into_split());
            tokio::join!(
                forward(from_client, to_server, swallows.clone()),
                forward(from_server, to_client, swallows.clone())
            );
        });
    }
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut swallows: watch::Receiver<bool>,
) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        let passes = swallows.wait_for(|swallows| !swallows).await.is_ok();
        if !passes || to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}
