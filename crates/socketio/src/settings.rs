//! What can be set on a server. Names and defaults are the reference server's where it has them.

use std::time::Duration;

/// Which origins are meant by a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origins {
    /// Every origin.
    Any,
    /// Exactly these, written as browsers send them (`https://example.org`).
    List(Vec<String>),
}

impl Origins {
    /// Whether `origin` is one of them.
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

/// Cross-origin answers of the polling transport (the Fetch standard's CORS protocol).
#[derive(Clone, Debug)]
pub struct Cors {
    /// Who may read our answers.
    pub origins: Origins,
    /// Whether the browser may send cookies (`Access-Control-Allow-Credentials`).
    pub credentials: bool,
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
    /// `pingTimeout`: time a client has to answer a ping. 20 s.
    pub ping_timeout: Duration,
    /// `upgradeTimeout`: time from the opening of the new transport to the end of the upgrade. 10 s.
    pub upgrade_timeout: Duration,
    /// `connectTimeout`: time a client has to join its first namespace. 45 s.
    pub connect_timeout: Duration,
    /// `maxHttpBufferSize`, told to clients as `maxPayload`: the largest request body or WebSocket message, in bytes, and the
    /// largest event together with its attachments. 1e6.
    pub max_http_buffer_size: usize,
    /// Most binary attachments a packet from a client may announce. 10, as the reference parser's `maxAttachments`.
    pub max_attachments: usize,
    /// `transports`: whether HTTP long-polling is offered.
    pub polling: bool,
    /// `transports`: whether WebSocket is offered.
    pub websocket: bool,
    /// `allowUpgrades`: whether a polling session may go over to WebSocket.
    pub allow_upgrades: bool,
    /// Most packets that wait for one client; a client that falls further behind is closed. 4096.
    pub max_queue_packets: usize,
    /// Most bytes that wait for one client; a single larger packet is taken by an empty queue. 1 MiB.
    ///
    /// The bytes of an event broadcast to a room are shared by all receivers, and count here for each.
    pub max_queue_bytes: usize,
    /// The headers of the opening request that are kept for the session, in lower case. `None` keeps all of them.
    /// `authorization`, `cookie` and `origin`.
    pub handshake_headers: Option<&'static [&'static str]>,
    /// Most bytes of query and headers that are kept of the opening request; a larger one is refused. 8 KiB.
    pub max_handshake_bytes: usize,
    /// `cors`: the origins that may read polling answers. `None` sends no CORS headers.
    pub cors: Option<Cors>,
    /// Origins a handshake is taken from; requests without an `Origin` header are not browsers' and always pass, and so does
    /// the server's own host. `None` checks nothing, as the reference does.
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
            polling: true,
            websocket: true,
            allow_upgrades: true,
            max_queue_packets: 4096,
            max_queue_bytes: 1024 * 1024,
            handshake_headers: Some(&["authorization", "cookie", "origin"]),
            max_handshake_bytes: 8 * 1024,
            cors: None,
            allowed_origins: None,
        }
    }
}
