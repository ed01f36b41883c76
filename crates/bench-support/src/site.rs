//! A server with viewers, and a request that makes it publish an event.

use std::{io, process::Command};

use serde_json::{Value, json};
use socket2::Socket;
use tempfile::TempDir;

use crate::peer::Peer;
use crate::product::{self, Person, id, post, response_of, send};

/// A running server, and the request that makes it publish an event.
pub struct Site {
    /// Its process.
    pub peer: Peer,
    /// Path of the event stream.
    pub stream: String,
    /// Identifier of the organisation; empty for Node.
    pub organisation: String,
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
    ///
    /// # Errors
    /// If it does not start, or refuses a request.
    pub fn allclear(binary: &str) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let start = || product::start(&mut product::command(binary, folder.path(), 0));
        let peer = start()?;
        let person = Person::sign_up(peer.port)?;
        // Viewers would reuse the memory that hashing a password has freed. So the server is
        // started again before it is measured.
        drop(peer);
        let peer = start()?;
        let organisation = person.organisation(peer.port, "Acme")?;
        let bearer = person.bearer(peer.port, &organisation)?;
        let draft = json!({"name": "API"});
        let component = id(&post(peer.port, "/component/create", &bearer, &draft)?.1);
        let request = Request {
            method: "PATCH",
            path: format!("/api/v1/component/{component}"),
            headers: bearer,
            body: Box::new(|number, size| json!({"description": text(number, size)}).to_string()),
        };
        Ok(Self {
            peer,
            stream: format!("/api/v1/status/{organisation}/events"),
            organisation,
            request,
            _folder: folder,
        })
    }

    /// The server of Node. It receives the event that the product would send.
    ///
    /// # Errors
    /// If it does not start.
    pub fn node(component: Value) -> io::Result<Self> {
        let mut command = Command::new("node");
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/event-stream.mjs"));
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
            organisation: String::new(),
            request,
            _folder: tempfile::tempdir()?,
        })
    }

    /// Path of the status page.
    #[must_use]
    pub fn page(&self) -> String {
        self.stream
            .trim_start_matches("/api/v1")
            .trim_end_matches("/events")
            .to_owned()
    }

    /// The component that is changed, as viewers see it.
    ///
    /// # Errors
    /// If the request fails.
    pub fn component(&self) -> io::Result<Value> {
        let path = self.stream.trim_end_matches("/events");
        let (_, mut snapshot) = response_of(send(self.peer.port, "GET", path, "", "")?)?;
        Ok(snapshot["data"]["components"][0].take())
    }

    /// Requests an event with a text of this many bytes. The caller reads the response.
    ///
    /// # Errors
    /// If the request cannot be sent.
    pub fn publish(&self, number: usize, size: usize) -> io::Result<Socket> {
        let Request {
            method,
            path,
            headers,
            body,
        } = &self.request;
        send(self.peer.port, method, path, headers, &body(number, size))
    }
}

fn text(number: usize, size: usize) -> String {
    format!("{number:0>size$}")
}
