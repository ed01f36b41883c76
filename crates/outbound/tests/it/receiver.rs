//! A receiver of messages.

use std::future::Future;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A request as it arrived.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Request {
    /// Reads one request; `None` if the connection ends before it.
    pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Self> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.ok()?);
        }
        let head = String::from_utf8(head).unwrap();
        let mut request = Self {
            head,
            body: String::new(),
        };
        let length = request.header("content-length")?.parse().unwrap();
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        request.body = String::from_utf8(body).unwrap();
        Some(request)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let is_name = |(known, _): &(&str, &str)| known.eq_ignore_ascii_case(name);
        lines.find(is_name).map(|(_, value)| value)
    }
}

/// A receiver on this machine.
pub(crate) struct Receiver {
    pub(crate) url: String,
    requests: mpsc::UnboundedReceiver<Request>,
}

impl Receiver {
    /// A receiver that reads a request of each connection and then does this with the connection.
    pub(crate) async fn start<F, Reply>(reply: F) -> Self
    where
        F: Fn(TcpStream) -> Reply + Clone + Send + Sync + 'static,
        Reply: Future<Output = ()> + Send,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (sender, reply) = (sender.clone(), reply.clone());
                tokio::spawn(async move {
                    if let Some(request) = Request::read(&mut stream).await {
                        let _ = sender.send(request);
                        reply(stream).await;
                    }
                });
            }
        });
        Self {
            url: format!("http://127.0.0.1:{port}/hook?key=secret"),
            requests,
        }
    }

    /// The requests that have arrived.
    pub(crate) fn requests(&mut self) -> Vec<Request> {
        std::iter::from_fn(|| self.requests.try_recv().ok()).collect()
    }
}
