//! Limits of open connections, event streams and sockets.

use allclear_transport::limit::client_limits::ConnectionLimits;
use clap::Args;

use crate::rlimit;

/// Limits of connections that are open at the same time. 0 switches a limit off.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
#[expect(clippy::struct_field_names, reason = "a flag is named as its field is")]
pub(crate) struct ConnectionSettings {
    /// Connections that a client address may have open; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_CONNECTIONS", default_value = "4000")]
    limit_connections: usize,

    /// Event streams that a client address may have open; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_STREAMS", default_value = "2000")]
    limit_streams: usize,

    /// Sockets that a client address may have open; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_SOCKETS", default_value = "2000")]
    limit_sockets: usize,

    /// Polling requests of a client address that may wait at the same time; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_POLLS", default_value = "1000")]
    limit_polls: usize,

    /// Sockets of a client address that have not joined yet; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_HANDSHAKES", default_value = "500")]
    limit_handshakes: usize,

    /// Sockets of all clients that have not joined yet; 0 for no limit
    #[arg(long, env = "ALLCLEAR_LIMIT_ALL_HANDSHAKES", default_value = "10000")]
    limit_all_handshakes: usize,
}

impl ConnectionSettings {
    /// The limits, with the number of file descriptors that the process may open.
    pub(crate) fn limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            connections: limit(self.limit_connections),
            streams: limit(self.limit_streams),
            sockets: limit(self.limit_sockets),
            polls: limit(self.limit_polls),
            handshakes: limit(self.limit_handshakes),
            all_handshakes: limit(self.limit_all_handshakes),
            descriptors: rlimit::limit(),
        }
    }
}

/// `None` for 0, which means no limit.
fn limit(given: usize) -> Option<usize> {
    (given != 0).then_some(given)
}
