//! A client: one session, and the namespaces it is in.

use std::{
    sync::{Arc, Mutex},
    time::Instant,
};

use bytestring::ByteString;
use tokio::{task::yield_now, time::timeout};

use super::{
    ack::Incoming,
    erased_namespace::{ErasedNamespace, Member},
    handler::{Connect, ConnectError, DisconnectReason},
    socket::Core,
};
use crate::{
    engine::{CloseReason, EngineHandler, EngineSocket, Malformed, Message},
    protocol::{Assembler, Kind, Packet, encode_connect, encode_connect_error},
    settings::Settings,
    sid::Sid,
    sync::lock,
};

/// The sockets of a client, where acknowledgements find them without waiting in line.
type Sockets = Arc<Mutex<Vec<Arc<Core>>>>;

/// Socket.IO on top of Engine.IO.
pub(super) struct Protocol {
    pub(super) realms: Vec<Box<dyn ErasedNamespace>>,
    pub(super) settings: Settings,
}

/// Takes packets in as they arrive.
pub(super) struct Decoder {
    assembler: Assembler,
    sockets: Sockets,
}

/// Where a client is.
pub(super) struct Client {
    members: Vec<Box<dyn Member>>,
    sockets: Sockets,
}

/// Whatever becomes of the task that runs a client, its sockets are not left in their rooms.
impl Drop for Client {
    fn drop(&mut self) {
        for member in &self.members {
            member.core().leave();
        }
    }
}

impl EngineHandler for Protocol {
    type Decoder = Decoder;
    type State = Client;
    type Job = Packet;

    fn open(&self, socket: &EngineSocket) -> (Decoder, Client) {
        let at = Instant::now() + self.settings.connect_timeout;
        socket.0.expire_at(Some(at));
        let sockets = Sockets::default();
        let decoder = Decoder {
            assembler: Assembler::new(
                self.settings.max_attachments,
                self.settings.max_http_buffer_size,
            ),
            sockets: Arc::clone(&sockets),
        };
        (
            decoder,
            Client {
                members: Vec::new(),
                sockets,
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
            let sockets = lock(&decoder.sockets);
            if let Some(core) = sockets
                .iter()
                .find(|core| core.namespace_name() == &*packet.namespace)
            {
                core.pending.resolve(*id, args.clone());
                return Ok(None);
            }
        }
        Ok(Some(packet))
    }

    async fn run(&self, socket: &EngineSocket, client: &mut Client, packet: Packet) {
        let Packet { namespace, kind } = packet;
        let place = client
            .members
            .iter()
            .position(|member| member.core().namespace_name() == &*namespace);
        match (kind, place) {
            (Kind::Connect(auth), None) => self.connect(socket, client, namespace, auth).await,
            (Kind::Event { name, args, id }, Some(place)) => {
                let member = &client.members[place];
                if member.core().is_connected() {
                    let reply = id.map(|id| (Arc::clone(member.core()), id));
                    member.event(Incoming { name, args, reply }).await;
                }
            }
            (Kind::Disconnect, Some(place)) => {
                let member = client.members.remove(place);
                client.refresh();
                if member.core().leave() {
                    member.disconnected(DisconnectReason::ClientNamespace).await;
                }
            }
            (Kind::Nothing | Kind::Ack { .. }, Some(_)) => {}
            // "invalid state": the client joins twice, or talks where it has not joined.
            (_, _) => socket.0.drain(CloseReason::ForcedServerClose),
        }
    }

    async fn notified(&self, _: &EngineSocket, client: &mut Client) {
        client
            .let_go(DisconnectReason::ServerNamespace, |core| {
                !core.is_connected()
            })
            .await;
    }

    async fn closed(&self, _: &EngineSocket, mut client: Client, reason: CloseReason) {
        // Those that the server had put out before the session ended left for that reason.
        client
            .let_go(DisconnectReason::ServerNamespace, |core| {
                !core.is_connected()
            })
            .await;
        client
            .let_go(DisconnectReason::Session(reason), |_| true)
            .await;
    }
}

impl Protocol {
    async fn connect(
        &self,
        socket: &EngineSocket,
        client: &mut Client,
        name: ByteString,
        auth: ByteString,
    ) {
        let session = &socket.0;
        let Some(realm) = self
            .realms
            .iter()
            .find(|realm| *realm.space().name == *name)
        else {
            session.send(encode_connect_error(
                &name,
                &ConnectError::new("Invalid namespace"),
            ));
            return;
        };
        let request = Connect {
            handshake: &session.handshake,
            namespace: &name,
            sid: Sid::random(),
            auth: &auth,
        };
        let answer = timeout(
            self.settings.connect_timeout,
            realm.connect(session, request),
        )
        .await;
        if !session.is_open() {
            return;
        }
        let Ok(answer) = answer else {
            session.drain(CloseReason::ForcedServerClose);
            return;
        };
        match answer {
            Err(error) => session.send(encode_connect_error(&name, &error)),
            Ok(member) => {
                session.joined();
                let core = Arc::clone(member.core());
                // The client knows that it has joined before it hears anything else, and the answer leaves by itself, as the
                // reference's does: two packets in one segment would reach a client in one turn of its event loop.
                core.send(encode_connect(&name, core.sid));
                core.space.add(&core);
                client.members.push(member);
                client.refresh();
                yield_now().await;
                if let Some(member) = client.members.last() {
                    member.connected().await;
                }
            }
        }
    }
}

impl Client {
    fn refresh(&self) {
        *lock(&self.sockets) = self
            .members
            .iter()
            .map(|member| Arc::clone(member.core()))
            .collect();
    }

    /// Tells the handlers of those that `gone` names that they have left.
    async fn let_go(&mut self, reason: DisconnectReason, gone: impl Fn(&Core) -> bool) {
        while let Some(place) = self.members.iter().position(|member| gone(member.core())) {
            let member = self.members.remove(place);
            self.refresh();
            member.core().leave();
            member.disconnected(reason).await;
        }
    }
}
