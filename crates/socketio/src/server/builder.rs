//! Building a server, and what is done with one.

use std::{fmt, sync::Arc};

use actix_web::Resource;

use super::{
    broadcast::Broadcast,
    client::Protocol,
    erased_namespace::{ErasedNamespace, HandledRealm},
    handler::Handler,
    namespace::Namespace,
};
use crate::{
    engine::{Admission, Engine},
    settings::Settings,
};

/// Collects the namespaces of a server.
pub struct Builder {
    settings: Settings,
    realms: Vec<Box<dyn ErasedNamespace>>,
    admission: Option<Arc<dyn Admission>>,
}

impl Builder {
    /// Limits clients' sessions and polls. Without it they are not limited.
    #[must_use]
    pub fn admission(mut self, admission: Arc<dyn Admission>) -> Self {
        self.admission = Some(admission);
        self
    }

    /// Sets what can be set.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Adds a namespace. A name without a slash gets one; of two with the same name the later replaces the earlier.
    #[must_use]
    pub fn namespace<H: Handler>(mut self, name: &str, handler: H) -> Self {
        let name = format!("/{}", name.trim_start_matches('/'));
        self.realms.retain(|realm| *realm.space().name != *name);
        self.realms
            .push(Box::new(HandledRealm::new(&name, handler)));
        self
    }

    /// Makes the server.
    #[must_use]
    pub fn build(self) -> Server {
        let namespaces = self
            .realms
            .iter()
            .map(|realm| Namespace(Arc::clone(realm.space())))
            .collect();
        let protocol = Protocol {
            realms: self.realms,
            settings: self.settings.clone(),
        };
        Server {
            engine: Engine::with_admission(self.settings, protocol, self.admission),
            namespaces,
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self
            .realms
            .iter()
            .map(|realm| &realm.space().name)
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
    /// Begins a server with the reference's settings and no namespaces.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            settings: Settings::default(),
            realms: Vec::new(),
            admission: None,
        }
    }

    /// The resource for an actix application that answers `path` (`/socket.io`), with and without a slash at its end.
    #[must_use]
    pub fn resource(&self, path: &str) -> Resource {
        self.engine.resource(path)
    }

    /// A namespace.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&Namespace> {
        self.namespaces
            .iter()
            .find(|namespace| namespace.name() == name)
    }

    /// Everyone in a room of the namespace `/`; nobody if there is no such namespace.
    #[must_use]
    pub fn to(&self, room: &str) -> Option<Broadcast> {
        self.of("/").map(|namespace| namespace.to(room))
    }

    /// How many sessions there are, joined to a namespace or not.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.engine.len()
    }

    /// Closes every transport, so that the clients come back to whoever answers next, takes no new sessions, and waits until the
    /// handlers have been told of the last one's end. Bound it by a time-out: a handler may hang.
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
