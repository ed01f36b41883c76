//! Mails as files: what a fresh installation does, and what tests read.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::mail::{Mail, Mailer};
use async_trait::async_trait;
use lettre::message::Mailbox;

use crate::letter::Letter;
use crate::message::message;

/// Writes each mail to a file of its own, named by time and identifier, and its links to the log.
pub struct FileMailer {
    folder: PathBuf,
    from: Mailbox,
    clock: Arc<dyn Clock>,
}

impl FileMailer {
    /// Writes into this folder, which is made. `from` is an address, or a name and an address: `Acme <a@example.com>`.
    ///
    /// # Errors
    /// When the folder cannot be made or `from` is no address.
    pub fn new(folder: &Path, from: &str, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let from = from.parse().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        Ok(Self { folder: folder.to_owned(), from, clock })
    }
}

#[async_trait]
impl Mailer for FileMailer {
    async fn send(&self, mail: Mail) -> Result<(), Error> {
        let letter = Letter::write(&mail.content)?;
        let (links, subject) = (letter.links.join(" "), letter.subject.clone());
        let (now, id) = (self.clock.now(), self.clock.id());
        let bytes = message(letter, &self.from, &mail.to, now, id)?.formatted();
        let path = self.folder.join(format!("{}-{id}.eml", now.format("%Y%m%dT%H%M%S%.3fZ")));
        let file = path.clone();
        let writing = tokio::task::spawn_blocking(move || write(&file, &bytes));
        writing.await.map_err(Error::internal)?.map_err(|error| Error::Unavailable(Box::new(error)))?;
        tracing::info!(to = mail.to, subject, links, file = %path.display(), "a mail was written to a file");
        Ok(())
    }
}

/// Whoever looks sees the whole file or none. Its links are secrets: only the owner may read it.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("part");
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(unfinished, path)
}

#[cfg(test)]
mod tests;
