//! A server with an event stream, and a request that makes it publish an event.

use std::{
    io::{self, Read as _, Write as _},
    process::Command,
};

use allclear_bench_support::{crowd::connect, peer::Peer};
use serde_json::{Value, json};
use socket2::Socket;
use tempfile::TempDir;

/// A running server, and the request that makes it publish an event.
pub(crate) struct Site {
    pub(crate) peer: Peer,
    /// Where its stream is.
    pub(crate) stream: String,
    request: Request,
    _folder: TempDir,
}

struct Request {
    method: &'static str,
    path: String,
    headers: String,
    body: Box<dyn Fn(usize, usize) -> String + Send + Sync>,
}

impl Site {
    /// The product, with an operator that changes a component's description.
    pub(crate) fn allclear(binary: &str) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let start = || {
            let mut command = Command::new(binary);
            command
                .env_clear()
                .args(["serve", "--limit-writes", "0", "--limit-text", "0"])
                .args(["--listen", "127.0.0.1:0", "--data-dir"])
                .arg(folder.path())
                // All viewers of the bench have one address.
                .args(["--limit-connections", "0", "--limit-streams", "0"]);
            Peer::start(&mut command, |line| {
                line.strip_prefix("Listens")?
                    .rsplit(':')
                    .next()?
                    .parse()
                    .ok()
            })
        };
        let peer = start()?;
        let person =
            json!({"name": "Ada", "email": "ada@example.com", "password": "correct horse battery"});
        let (head, _) = post(peer.port, "/identity/sign-up", "", &person)?;
        // What hashing a password took would hide what viewers take: a process that has hashed none is measured.
        drop(peer);
        let peer = start()?;
        let cookies: Vec<&str> = head
            .lines()
            .filter_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next())
            .collect();
        let cookie = format!("Cookie: {}\r\n", cookies.join("; "));
        let id = |value: &Value| value["data"]["id"].as_str().unwrap_or_default().to_owned();
        let organisation = id(&post(
            peer.port,
            "/identity/organisations",
            &cookie,
            &json!({"name": "Acme"}),
        )?
        .1);
        let (_, token) = post(
            peer.port,
            "/identity/token",
            &cookie,
            &json!({"organisationId": organisation}),
        )?;
        let bearer = format!(
            "Authorization: Bearer {}\r\n",
            token["data"]["token"].as_str().unwrap_or_default()
        );
        let component = id(&post(
            peer.port,
            "/component/create",
            &bearer,
            &json!({"name": "API"}),
        )?
        .1);
        let request = Request {
            method: "PATCH",
            path: format!("/api/v1/component/{component}"),
            headers: bearer,
            body: Box::new(|number, size| json!({"description": text(number, size)}).to_string()),
        };
        Ok(Self {
            peer,
            stream: format!("/api/v1/status/{organisation}/events"),
            request,
            _folder: folder,
        })
    }

    /// Node, which is posted the event that the product makes of it.
    pub(crate) fn node(component: Value) -> io::Result<Self> {
        let mut command = Command::new("node");
        command.arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/benches/events/server.mjs"
        ));
        let peer = Peer::start(&mut command, |line| {
            line.strip_prefix("Listens ")?.parse().ok()
        })?;
        let event = move |number, size| {
            let mut component = component.clone();
            component["description"] = text(number, size).into();
            format!("event: component-update\ndata: [{component}]\nid: {number}\n\n")
        };
        let request = Request {
            method: "POST",
            path: "/".into(),
            headers: String::new(),
            body: Box::new(event),
        };
        Ok(Self {
            peer,
            stream: "/".into(),
            request,
            _folder: tempfile::tempdir()?,
        })
    }

    /// Where its status page is.
    pub(crate) fn page(&self) -> String {
        self.stream
            .trim_start_matches("/api/v1")
            .trim_end_matches("/events")
            .to_owned()
    }

    /// The component that is changed, as viewers see it.
    pub(crate) fn component(&self) -> io::Result<Value> {
        let path = self.stream.trim_end_matches("/events");
        let (_, mut snapshot) = response_of(send(self.peer.port, "GET", path, "", "")?)?;
        Ok(snapshot["data"]["components"][0].take())
    }

    /// Requests an event of that many bytes; the response is read later.
    pub(crate) fn tell(&self, number: usize, size: usize) -> io::Result<Socket> {
        let Request {
            method,
            path,
            headers,
            body,
        } = &self.request;
        send(self.peer.port, method, path, headers, &body(number, size))
    }
}

/// Posts to the product's API, and awaits the response.
fn post(port: u16, path: &str, headers: &str, body: &Value) -> io::Result<(String, Value)> {
    response_of(send(
        port,
        "POST",
        &format!("/api/v1{path}"),
        headers,
        &body.to_string(),
    )?)
}

fn text(number: usize, size: usize) -> String {
    format!("{number:0>size$}")
}

/// Sends a request on a connection of its own.
fn send(port: u16, method: &str, path: &str, headers: &str, body: &str) -> io::Result<Socket> {
    let mut stream = connect(port, None)?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all((head + body).as_bytes())?;
    Ok(stream)
}

/// The response to a request: its head, and its JSON body if it has one.
pub(crate) fn response_of(mut stream: Socket) -> io::Result<(String, Value)> {
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
