//! Mails as files: the default without a mail server.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use allclear_application::error::Error;
use allclear_application::mail::{Mail, MailContent, MailPreview, Mailer, SendError};
use async_trait::async_trait;

use crate::rendered_mail::RenderedMail;
use crate::sender::{Sender, WrittenMail};

/// Extension of a file that is being written.
const UNFINISHED: &str = "part";

/// Writes each mail to a file named by time and identifier, and its links to the log.
pub struct FileMailer {
    folder: PathBuf,
    sender: Sender,
}

impl FileMailer {
    /// A mailer that writes into a folder, which is created if it is missing.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub fn new(folder: &Path, sender: Sender) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            sender,
        })
    }
}

/// Removes `.part` files, which a crash leaves behind, and returns their number. Must not be called
/// while another process writes into the folder.
///
/// # Errors
/// Fails if the folder cannot be read or a file cannot be removed.
pub fn remove_unfinished(folder: &Path) -> io::Result<usize> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut removed = 0;
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == UNFINISHED)
        {
            fs::remove_file(path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

#[async_trait]
impl Mailer for FileMailer {
    async fn send(&self, mail: Mail) -> Result<(), SendError> {
        let WrittenMail {
            message,
            subject,
            links,
        } = self.sender.write(&mail)?;
        let (bytes, links) = (message.formatted(), links.join(" "));
        let (now, id) = (self.sender.clock().now(), self.sender.clock().id());
        let path = self
            .folder
            .join(format!("{}-{id}.eml", now.format("%Y%m%dT%H%M%S%.3fZ")));
        let file = path.clone();
        let writing = tokio::task::spawn_blocking(move || write(&file, &bytes));
        let written = writing
            .await
            .map_err(io::Error::other)
            .and_then(|written| written);
        written.map_err(|error| SendError::Temporary {
            reason: format!("{}: {error}", path.display()),
        })?;
        tracing::info!(to = mail.to, subject, links, file = %path.display(), "wrote a mail to a file");
        Ok(())
    }

    fn preview(&self, content: &MailContent) -> Result<MailPreview, Error> {
        RenderedMail::preview(content)
    }
}

/// Writes a file atomically, and leaves nothing behind if it fails. Its links are secrets, so only
/// the owner may read it.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension(UNFINISHED);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written.and_then(|()| fs::rename(&unfinished, path)) {
        // Each retry of the mail would leave another file.
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    sync_folder_of(path)
}

/// Makes a rename durable.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    path.parent()
        .map_or(Ok(()), |folder| fs::File::open(folder)?.sync_all())
}

#[cfg(not(unix))]
fn sync_folder_of(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
