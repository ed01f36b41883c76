//! The server and its builder.

use std::fmt;
use std::sync::Arc;

use actix_web::Resource;

use super::broadcast::Broadcast;
use super::client::Protocol;
use super::erased_namespace::{ErasedNamespace, HandledNamespace};
use super::handler::Handler;
use super::namespace::Namespace;
use crate::engine::{Admission, Engine};
use crate::settings::Settings;

/// Builder of a server.
pub struct Builder {
    settings: Settings,
    namespaces: Vec<Box<dyn ErasedNamespace>>,
    admission: Option<Arc<dyn Admission>>,
}

impl Builder {
    /// Limits clients' sessions and polls. Without it there are no limits.
    #[must_use]
    pub fn admission(mut self, admission: Arc<dyn Admission>) -> Self {
        self.admission = Some(admission);
        self
    }

    /// Replaces the default settings.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Adds a namespace. A missing leading slash is added; a later namespace replaces an earlier
    /// one of the same name.
    #[must_use]
    pub fn namespace<H: Handler>(mut self, name: &str, handler: H) -> Self {
        let name = format!("/{}", name.trim_start_matches('/'));
        self.namespaces
            .retain(|namespace| *namespace.state().name != *name);
        self.namespaces
            .push(Box::new(HandledNamespace::new(&name, handler)));
        self
    }

    /// Creates the server.
    #[must_use]
    pub fn build(self) -> Server {
        let handles = self
            .namespaces
            .iter()
            .map(|namespace| Namespace(Arc::clone(namespace.state())))
            .collect();
        let protocol = Protocol {
            namespaces: self.namespaces,
            settings: self.settings.clone(),
        };
        Server {
            engine: Engine::with_admission(self.settings, protocol, self.admission),
            namespaces: handles,
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self
            .namespaces
            .iter()
            .map(|namespace| &namespace.state().name)
            .collect();
        f.debug_struct("Builder")
            .field("settings", &self.settings)
            .field("namespaces", &names)
            .finish_non_exhaustive()
    }
}

/// A Socket.IO server. Cheap to clone, usable from any thread.
#[derive(Clone)]
pub struct Server {
    engine: Arc<Engine<Protocol>>,
    namespaces: Arc<[Namespace]>,
}

impl Server {
    /// Returns a builder with the reference's settings and no namespaces.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            settings: Settings::default(),
            namespaces: Vec::new(),
            admission: None,
        }
    }

    /// The actix resource for `path` (such as `/socket.io`), with and without a trailing slash.
    #[must_use]
    pub fn resource(&self, path: &str) -> Resource {
        self.engine.resource(path)
    }

    /// The namespace with this name.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&Namespace> {
        self.namespaces
            .iter()
            .find(|namespace| namespace.name() == name)
    }

    /// The sockets in a room of the namespace `/`; `None` if that namespace does not exist.
    #[must_use]
    pub fn to(&self, room: &str) -> Option<Broadcast> {
        self.of("/").map(|namespace| namespace.to(room))
    }

    /// Number of sessions, whether joined to a namespace or not.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.engine.len()
    }

    /// Closes every transport, so that clients reconnect to another server, accepts no new
    /// sessions, and waits until the handlers have handled the end of every socket. Use a timeout,
    /// because a handler may hang.
    ///
    /// Call it while the HTTP server runs: its workers handle the ends of the sockets.
    pub async fn shutdown(&self) {
        self.engine.shutdown().await;
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("engine", &self.engine)
            .field("namespaces", &self.namespaces)
            .finish()
    }
}
