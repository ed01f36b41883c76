//! Servers that accept every message and count them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// Path of a webhook that never responds.
pub(crate) const SILENT: &str = "silent";
/// Time that a slow mail server takes for a mail.
const SLOW: Duration = Duration::from_millis(50);

/// A server for messages.
pub(crate) struct Sink {
    /// Its port on this machine.
    pub(crate) port: u16,
    /// The messages that it has accepted.
    pub(crate) taken: Arc<Taken>,
}

/// The messages that a sink has accepted.
#[derive(Default)]
pub(crate) struct Taken {
    /// Number of messages by the name of the organisation: the domain of a mail without its ending,
    /// or the first part of a path.
    counts: Mutex<HashMap<String, usize>>,
    /// Whether each mail to `acme` takes [`SLOW`].
    pub(crate) is_slow: AtomicBool,
}

impl Taken {
    /// Number of messages to subscribers of an organisation.
    pub(crate) fn count(&self, organisation: &str) -> usize {
        let counts = self.counts.lock();
        counts.get(organisation).copied().unwrap_or_default()
    }

    fn add(&self, organisation: &str) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(organisation) {
            *count += 1;
        } else {
            counts.insert(organisation.to_owned(), 1);
        }
    }
}

impl Sink {
    /// A server for mails, or for requests.
    pub(crate) async fn start<T>(take: fn(TcpStream, Arc<Taken>) -> T) -> Self
    where
        T: Future<Output = std::io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let taken = Arc::<Taken>::default();
        let shared = Arc::clone(&taken);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(take(stream, Arc::clone(&shared)));
            }
        });
        Self { port, taken }
    }
}

/// Accepts mails (RFC 5321) from a client that makes no mistakes.
pub(crate) async fn take_mails(stream: TcpStream, taken: Arc<Taken>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let mut organisation = String::new();
    writer.write_all(b"220 sink\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let word = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        let response: &[u8] = match word.as_str() {
            "RCPT" => {
                let (_, domain) = line.split_once('@').unwrap_or_default();
                organisation.clear();
                organisation.push_str(domain.split('.').next().unwrap_or_default());
                b"250 fine\r\n"
            }
            "DATA" => {
                writer.write_all(b"354 go on\r\n").await?;
                while lines.next_line().await?.is_some_and(|line| line != ".") {}
                if organisation == "acme" && taken.is_slow.load(Ordering::Relaxed) {
                    sleep(SLOW).await;
                }
                taken.add(&organisation);
                b"250 taken\r\n"
            }
            "QUIT" => b"221 bye\r\n",
            _ => b"250 fine\r\n",
        };
        writer.write_all(response).await?;
    }
    Ok(())
}

/// Accepts requests (RFC 9112) from a client that makes no mistakes.
pub(crate) async fn take_requests(stream: TcpStream, taken: Arc<Taken>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = String::new();
    let mut body = Vec::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let organisation = line.split('/').nth(1).unwrap_or_default().to_owned();
        let mut length = 0;
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let (name, value) = line.trim_end().split_once(": ").unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().unwrap();
            }
        }
        body.resize(length, 0);
        reader.read_exact(&mut body).await?;
        if organisation == SILENT {
            std::future::pending::<()>().await;
        }
        taken.add(&organisation);
        writer
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .await?;
    }
}
