//! A namespace with its handler, their types hidden: a client may be in several.

use std::sync::Arc;

use futures_util::future::LocalBoxFuture;

use super::{
    ack::Incoming,
    handler::{Connect, ConnectError, DisconnectReason, Handler},
    namespace::Space,
    socket::{Core, Socket},
};
use crate::engine::Session;

pub(super) trait ErasedNamespace: Send + Sync {
    fn space(&self) -> &Arc<Space>;

    /// Asks the handler whether a client may join.
    fn connect<'a>(
        &'a self,
        session: &'a Arc<Session>,
        request: Connect<'a>,
    ) -> LocalBoxFuture<'a, Result<Box<dyn Member>, ConnectError>>;
}

/// A socket with its handler.
pub(super) trait Member: Send {
    fn core(&self) -> &Arc<Core>;
    fn connected(&self) -> LocalBoxFuture<'_, ()>;
    fn event(&self, event: Incoming) -> LocalBoxFuture<'_, ()>;
    fn disconnected(&self, reason: DisconnectReason) -> LocalBoxFuture<'_, ()>;
}

pub(super) struct HandledRealm<H> {
    space: Arc<Space>,
    handler: Arc<H>,
}

impl<H: Handler> HandledRealm<H> {
    pub(super) fn new(name: &str, handler: H) -> Self {
        Self {
            space: Space::new(name),
            handler: Arc::new(handler),
        }
    }
}

impl<H: Handler> ErasedNamespace for HandledRealm<H> {
    fn space(&self) -> &Arc<Space> {
        &self.space
    }

    fn connect<'a>(
        &'a self,
        session: &'a Arc<Session>,
        request: Connect<'a>,
    ) -> LocalBoxFuture<'a, Result<Box<dyn Member>, ConnectError>> {
        Box::pin(async move {
            let sid = request.sid;
            let data = self.handler.connect(request).await?;
            let core = Core::new(sid, Arc::clone(&self.space), Arc::clone(session));
            let member = HandledMember {
                handler: Arc::clone(&self.handler),
                socket: Socket::new(core, data),
            };
            Ok(Box::new(member) as Box<dyn Member>)
        })
    }
}

struct HandledMember<H: Handler> {
    handler: Arc<H>,
    socket: Socket<H::Data>,
}

impl<H: Handler> Member for HandledMember<H> {
    fn core(&self) -> &Arc<Core> {
        &self.socket.0
    }

    fn connected(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(self.handler.connected(&self.socket))
    }

    fn event(&self, event: Incoming) -> LocalBoxFuture<'_, ()> {
        Box::pin(self.handler.event(&self.socket, event))
    }

    fn disconnected(&self, reason: DisconnectReason) -> LocalBoxFuture<'_, ()> {
        Box::pin(self.handler.disconnected(&self.socket, reason))
    }
}
