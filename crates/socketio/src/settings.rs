//! Settings of a server. Names and defaults are those of the reference server where it has them.

use std::time::Duration;

/// The origins that a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origins {
    /// Every origin.
    Any,
    /// These origins, written as browsers send them (`https://example.org`).
    List(Vec<String>),
}

impl Origins {
    /// Whether the rule applies to `origin`.
    #[must_use]
    pub fn contains(&self, origin: &str) -> bool {
        match self {
            Self::Any => true,
            Self::List(list) => list
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(origin)),
        }
    }
}

/// CORS headers of the polling transport (the Fetch standard's CORS protocol).
#[derive(Clone, Debug)]
pub struct Cors {
    /// Origins whose pages may read responses.
    pub origins: Origins,
    /// Whether the browser may send cookies (`Access-Control-Allow-Credentials`).
    pub credentials: bool,
}

/// How many packets of a client are handled: a burst, then one per interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketRate {
    /// Packets that are handled without a wait. 0 is treated as 1.
    pub burst: u32,
    /// Time in which one packet is refilled.
    pub interval: Duration,
}

/// Settings of a server.
///
/// ```
/// use std::time::Duration;
/// use allclear_socketio::Settings;
///
/// let settings = Settings { ping_interval: Duration::from_secs(10), ..Settings::default() };
/// assert_eq!(settings.ping_timeout, Duration::from_secs(20));
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// `pingInterval`: time from a pong to the next ping. 25 s.
    pub ping_interval: Duration,
    /// `pingTimeout`: time a client has to respond to a ping. 20 s.
    pub ping_timeout: Duration,
    /// `upgradeTimeout`: time from the opening of the new transport to the end of the upgrade.
    /// 10 s.
    pub upgrade_timeout: Duration,
    /// `connectTimeout`: time a client has to join its first namespace. 45 s.
    pub connect_timeout: Duration,
    /// `maxHttpBufferSize`, sent to clients as `maxPayload`: the largest request body or WebSocket
    /// message in bytes, and the largest event together with its attachments. 1e6.
    pub max_http_buffer_size: usize,
    /// Most binary attachments that a client's packet may announce. 10, as the reference
    /// parser's `maxAttachments`.
    pub max_attachments: usize,
    /// Most bytes of a packet with attachments, if less than `max_http_buffer_size`. A client may
    /// let it wait for the rest as long as it is connected. 1e6.
    pub max_attachment_bytes: usize,
    /// `transports`: whether HTTP long-polling is offered.
    pub polling: bool,
    /// `transports`: whether WebSocket is offered.
    pub websocket: bool,
    /// `allowUpgrades`: whether a polling session may upgrade to WebSocket.
    pub allow_upgrades: bool,
    /// Most packets queued for one client; a client further behind is closed. 4096.
    pub max_queue_packets: usize,
    /// Most bytes queued for one client. The largest packet does not count. 1 MiB.
    ///
    /// The bytes of an event broadcast to a room are shared by all receivers, and counted for each.
    pub max_queue_bytes: usize,
    /// How many packets of one client are handled. Further ones wait in order, and the client is
    /// not read while many wait. `None` is no limit, as in the reference.
    pub packet_rate: Option<PacketRate>,
    /// Headers of the opening request that the session keeps, in lower case. `None` keeps all.
    /// Default: `authorization`, `cookie` and `origin`.
    pub handshake_headers: Option<&'static [&'static str]>,
    /// Most bytes that the session keeps of the opening request's query and headers; a larger
    /// request is refused. 8 KiB.
    pub max_handshake_bytes: usize,
    /// `cors`: origins whose pages may read polling responses. `None` sends no CORS headers.
    pub cors: Option<Cors>,
    /// Origins that may open a session. Requests without an `Origin` header do not come from a
    /// browser and are always accepted, as is the server's own host. `None` checks nothing, as the
    /// reference does.
    pub allowed_origins: Option<Origins>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ping_interval: Duration::from_secs(25),
            ping_timeout: Duration::from_secs(20),
            upgrade_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(45),
            max_http_buffer_size: 1_000_000,
            max_attachments: 10,
            max_attachment_bytes: 1_000_000,
            polling: true,
            websocket: true,
            allow_upgrades: true,
            max_queue_packets: 4096,
            max_queue_bytes: 1024 * 1024,
            packet_rate: None,
            handshake_headers: Some(&["authorization", "cookie", "origin"]),
            max_handshake_bytes: 8 * 1024,
            cors: None,
            allowed_origins: None,
        }
    }
}
