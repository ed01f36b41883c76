//! Node's `socket.io` server.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::peer::Peer;

/// The messages that join the room, and the text that confirms it.
pub const JOIN: [(&str, &str); 1] = [("40", "42[\"ready\"]")];

/// Starts the server, with its packages installed. Each client joins a room. The message `shout`
/// with a number and a size sends so many events with a text of this size to the room.
///
/// # Errors
/// If the packages cannot be installed, or the server does not start.
pub fn start() -> io::Result<Peer> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/socket-io");
    if !Path::new(folder).join("node_modules/socket.io").exists() {
        let install = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
        let installed = Command::new("npm")
            .args(install)
            .current_dir(folder)
            .stdout(Stdio::null())
            .status()?;
        if !installed.success() {
            return Err(io::Error::other("npm ci failed"));
        }
    }
    let mut command = Command::new("node");
    command.arg(format!("{folder}/server.mjs"));
    Peer::start(&mut command, |line| line.parse().ok())
}
