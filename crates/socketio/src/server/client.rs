//! A client: one session, and its sockets.

use std::sync::Arc;
use std::time::Instant;

use bytestring::ByteString;
use parking_lot::Mutex;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::erased_namespace::{ErasedNamespace, ErasedSocket};
use super::handler::{Connect, ConnectError, DisconnectReason};
use super::incoming::Incoming;
use super::packet_bucket::PacketBucket;
use super::socket::Core;
use crate::engine::{CloseReason, EngineHandler, EngineSocket, Malformed, Message, Session};
use crate::protocol::{Assembler, Kind, Packet, encode_connect, encode_connect_error};
use crate::settings::Settings;
use crate::sid::Sid;

/// Refused `CONNECT` packets after which a session is closed: each may have cost the verification
/// of a token.
const MAX_REFUSALS: u32 = 10;

/// The sockets of a client, shared with the decoder, which delivers acknowledgements
/// without queueing.
type SharedCores = Arc<Mutex<Vec<Arc<Core>>>>;

/// The Socket.IO protocol on top of Engine.IO.
pub(super) struct Protocol {
    pub(super) namespaces: Vec<Box<dyn ErasedNamespace>>,
    pub(super) settings: Settings,
}

/// Decodes arriving packets.
pub(super) struct Decoder {
    assembler: Assembler,
    cores: SharedCores,
}

/// State of a client.
pub(super) struct Client {
    sockets: Vec<Box<dyn ErasedSocket>>,
    /// Number of refused `CONNECT` packets.
    refusals: u32,
    /// Of the session, so that a client that joins again has no other one.
    bucket: PacketBucket,
    cores: SharedCores,
}

/// Removes the sockets from their rooms, also if the client's task panics.
impl Drop for Client {
    fn drop(&mut self) {
        for socket in &self.sockets {
            socket.core().leave();
        }
    }
}

impl EngineHandler for Protocol {
    type Decoder = Decoder;
    type State = Client;
    type Job = Packet;

    fn open(&self, engine_socket: &EngineSocket) -> (Decoder, Client) {
        let at = Instant::now() + self.settings.connect_timeout;
        engine_socket.0.expire_at(Some(at));
        let cores = SharedCores::default();
        let decoder = Decoder {
            assembler: Assembler::new(
                self.settings.max_attachments,
                self.settings
                    .max_attachment_bytes
                    .min(self.settings.max_http_buffer_size),
            ),
            cores: Arc::clone(&cores),
        };
        (
            decoder,
            Client {
                sockets: Vec::new(),
                refusals: 0,
                bucket: PacketBucket::default(),
                cores,
            },
        )
    }

    fn decode(&self, decoder: &mut Decoder, message: Message) -> Result<Option<Packet>, Malformed> {
        let packet = decoder.assembler.take(message).map_err(|error| {
            tracing::debug!(%error, "malformed packet");
            Malformed
        })?;
        let Some(packet) = packet else {
            return Ok(None);
        };
        if let Kind::Ack { id, args } = &packet.kind {
            let cores = decoder.cores.lock();
            if let Some(core) = cores
                .iter()
                .find(|core| core.namespace_name() == &*packet.namespace)
            {
                core.pending.resolve(*id, args.clone());
                return Ok(None);
            }
        }
        Ok(Some(packet))
    }

    fn size(packet: &Packet) -> usize {
        packet.bytes
    }

    async fn run(&self, engine_socket: &EngineSocket, client: &mut Client, packet: Packet) {
        if let Some(rate) = self.settings.packet_rate {
            client.bucket.take(rate).await;
        }
        let Packet {
            namespace, kind, ..
        } = packet;
        let index = client
            .sockets
            .iter()
            .position(|socket| socket.core().namespace_name() == &*namespace);
        match (kind, index) {
            (Kind::Connect(auth), None) => {
                self.connect(engine_socket, client, namespace, auth).await;
            }
            (Kind::Event { name, args, id }, Some(index)) => {
                let socket = &client.sockets[index];
                if socket.core().is_connected() {
                    let reply = id.map(|id| (Arc::clone(socket.core()), id));
                    socket.event(Incoming { name, args, reply }).await;
                }
            }
            (Kind::Disconnect, Some(index)) => {
                let socket = client.sockets.remove(index);
                client.refresh();
                if socket.core().leave() {
                    socket.disconnected(DisconnectReason::ClientNamespace).await;
                }
            }
            (Kind::Nothing | Kind::Ack { .. }, Some(_)) => {}
            // "invalid state": the client joins twice, or uses a namespace that it has not joined.
            (_, _) => engine_socket.0.drain(CloseReason::ForcedServerClose),
        }
    }

    async fn notified(&self, _: &EngineSocket, client: &mut Client) {
        client
            .remove_sockets(DisconnectReason::ServerNamespace, |core| {
                !core.is_connected()
            })
            .await;
    }

    async fn closed(&self, _: &EngineSocket, mut client: Client, reason: CloseReason) {
        // Sockets that the server removed before the session ended keep that reason.
        client
            .remove_sockets(DisconnectReason::ServerNamespace, |core| {
                !core.is_connected()
            })
            .await;
        client
            .remove_sockets(DisconnectReason::Session(reason), |_| true)
            .await;
    }
}

impl Protocol {
    async fn connect(
        &self,
        engine_socket: &EngineSocket,
        client: &mut Client,
        name: ByteString,
        auth: ByteString,
    ) {
        let session = &engine_socket.0;
        let Some(namespace) = self
            .namespaces
            .iter()
            .find(|namespace| *namespace.state().name == *name)
        else {
            client.refuse(session, &name, &ConnectError::new("Invalid namespace"));
            return;
        };
        let request = Connect {
            handshake: &session.handshake,
            namespace: &name,
            sid: Sid::random(),
            auth: &auth,
        };
        let acknowledgement = timeout(
            self.settings.connect_timeout,
            namespace.connect(session, request),
        )
        .await;
        if !session.is_open() {
            return;
        }
        let Ok(acknowledgement) = acknowledgement else {
            session.drain(CloseReason::ForcedServerClose);
            return;
        };
        match acknowledgement {
            Err(error) if error.is_temporary => session.drain(CloseReason::ForcedServerClose),
            Err(error) => client.refuse(session, &name, &error),
            Ok(socket) => {
                session.joined();
                let core = Arc::clone(socket.core());
                // The client receives `CONNECT` before anything else, and in a segment of its own,
                // as from the reference: a client handles packets of one segment in one turn of its
                // event loop.
                core.send(encode_connect(&name, core.sid));
                core.namespace.add(&core);
                client.sockets.push(socket);
                client.refresh();
                yield_now().await;
                if let Some(socket) = client.sockets.last() {
                    socket.connected().await;
                }
            }
        }
    }
}

impl Client {
    fn refuse(&mut self, session: &Session, namespace: &str, error: &ConnectError) {
        session.send(encode_connect_error(namespace, error));
        self.refusals += 1;
        if self.refusals >= MAX_REFUSALS {
            session.drain(CloseReason::ForcedServerClose);
        }
    }

    fn refresh(&self) {
        *self.cores.lock() = self
            .sockets
            .iter()
            .map(|socket| Arc::clone(socket.core()))
            .collect();
    }

    /// Removes the sockets for which `gone` is true, and calls their handlers.
    async fn remove_sockets(&mut self, reason: DisconnectReason, gone: impl Fn(&Core) -> bool) {
        while let Some(index) = self.sockets.iter().position(|socket| gone(socket.core())) {
            let socket = self.sockets.remove(index);
            self.refresh();
            socket.core().leave();
            socket.disconnected(reason).await;
        }
    }
}
