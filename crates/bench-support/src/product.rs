//! The product as a measured process, and a person with an account.

use std::{
    io::{self, Read as _, Write as _},
    path::Path,
    process::Command,
};

use serde_json::{Value, json};
use socket2::Socket;

use crate::{crowd::connect, peer::Peer};

/// The command that starts the product with a data folder, at a port of this machine; port 0 is a
/// free one. It has no rate limits, because all viewers of a bench have one address.
#[must_use]
pub fn command(binary: &str, folder: &Path, port: u16) -> Command {
    let mut command = Command::new(binary);
    command
        .env_clear()
        .args(["serve", "--limit-writes", "0", "--limit-text", "0"])
        .args(["--limit-connections", "0", "--limit-streams", "0"])
        .args(["--limit-sockets", "0", "--limit-handshakes", "0"])
        .args(["--limit-all-handshakes", "0"])
        .args(["--listen", &format!("127.0.0.1:{port}"), "--data-dir"])
        .arg(folder);
    command
}

/// Starts the product, and waits until it is ready.
///
/// # Errors
/// If the product cannot be run, ends before it listens, or is not ready.
pub fn start(command: &mut Command) -> io::Result<Peer> {
    let peer = Peer::start(command, |line| {
        line.strip_prefix("Listens")?
            .rsplit(':')
            .next()?
            .parse()
            .ok()
    })?;
    response_of(send(peer.port, "GET", "/readyz", "", "")?)?;
    Ok(peer)
}

/// A person with an account.
#[derive(Debug, Clone)]
pub struct Person {
    cookies: String,
}

impl Person {
    /// Signs up.
    ///
    /// # Errors
    /// If the product refuses.
    pub fn sign_up(port: u16) -> io::Result<Self> {
        let person =
            json!({"name": "Ada", "email": "ada@example.com", "password": "correct horse battery"});
        let (head, _) = post(port, "/identity/sign-up", "", &person)?;
        let cookies: Vec<&str> = head
            .lines()
            .filter_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next())
            .collect();
        Ok(Self {
            cookies: format!("Cookie: {}\r\n", cookies.join("; ")),
        })
    }

    /// Creates an organisation. Returns its identifier.
    ///
    /// # Errors
    /// If the product refuses.
    pub fn organisation(&self, port: u16, name: &str) -> io::Result<String> {
        let path = "/identity/organisations";
        Ok(id(&post(
            port,
            path,
            &self.cookies,
            &json!({"name": name}),
        )?
        .1))
    }

    /// The authorization header of requests for an organisation, valid for five minutes.
    ///
    /// # Errors
    /// If the product refuses.
    pub fn bearer(&self, port: u16, organisation: &str) -> io::Result<String> {
        let wanted = json!({"organisationId": organisation});
        let (_, token) = post(port, "/identity/token", &self.cookies, &wanted)?;
        let token = token["data"]["token"].as_str().unwrap_or_default();
        Ok(format!("Authorization: Bearer {token}\r\n"))
    }
}

/// The identifier in a response.
#[must_use]
pub fn id(response: &Value) -> String {
    response["data"]["id"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Sends a POST to the product's API, and waits for the response.
///
/// # Errors
/// If the response is not a success.
pub fn post(port: u16, path: &str, headers: &str, body: &Value) -> io::Result<(String, Value)> {
    let path = format!("/api/v1{path}");
    response_of(send(port, "POST", &path, headers, &body.to_string())?)
}

/// Sends a request on a connection of its own. [`response_of`] reads the response.
///
/// # Errors
/// If no server listens at the port.
pub fn send(port: u16, method: &str, path: &str, headers: &str, body: &str) -> io::Result<Socket> {
    let mut stream = connect(port, None)?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all((head + body).as_bytes())?;
    Ok(stream)
}

/// Reads the response to a request: its head, and its JSON body if it has one.
///
/// # Errors
/// If the response is not a success.
pub fn response_of(mut stream: Socket) -> io::Result<(String, Value)> {
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
    if head.starts_with("HTTP/1.1 2") {
        return Ok((
            head.to_owned(),
            serde_json::from_str(body).unwrap_or_default(),
        ));
    }
    Err(io::Error::other(response))
}
