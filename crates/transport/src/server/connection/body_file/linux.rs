//! A file made by `memfd_create`, sent by `sendfile`.

use std::fs::File;
use std::io::{self, Write as _};
use std::task::{Context, Poll, ready};

use actix_web::rt::net::TcpStream;
use rustix::fs::{MemfdFlags, memfd_create, sendfile};
use rustix::net::{SendFlags, send};
use tokio::io::Interest;

use crate::limit::descriptors::DescriptorGuard;

/// A file with the bytes of a body.
pub(in crate::server::connection) struct BodyFile {
    file: File,
    length: usize,
    _descriptor: DescriptorGuard,
}

impl BodyFile {
    pub(super) fn new(body: &[u8], descriptor: DescriptorGuard) -> Option<Self> {
        let mut file = File::from(memfd_create("body", MemfdFlags::CLOEXEC).ok()?);
        file.write_all(body).ok()?;
        Some(Self {
            file,
            length: body.len(),
            _descriptor: descriptor,
        })
    }

    /// Sends the last `left` bytes of the file, or the first of them.
    pub(in crate::server::connection) fn poll_send(
        &self,
        tcp: &TcpStream,
        context: &mut Context<'_>,
        left: usize,
    ) -> Poll<io::Result<usize>> {
        let mut offset = self.length.saturating_sub(left) as u64;
        poll_write(tcp, context, || {
            Ok(sendfile(tcp, &self.file, Some(&mut offset), left)?)
        })
    }
}

/// Sends bytes that those of a file follow, so that the kernel puts both into the same packets.
pub(in crate::server::connection) fn poll_send_before_file(
    tcp: &TcpStream,
    context: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    poll_write(tcp, context, || {
        Ok(send(tcp, bytes, SendFlags::MORE | SendFlags::NOSIGNAL)?)
    })
}

fn poll_write(
    tcp: &TcpStream,
    context: &mut Context<'_>,
    mut write: impl FnMut() -> io::Result<usize>,
) -> Poll<io::Result<usize>> {
    loop {
        ready!(tcp.poll_write_ready(context))?;
        let written = tcp.try_io(Interest::WRITABLE, &mut write);
        let error = written.as_ref().err().map(io::Error::kind);
        if !matches!(
            error,
            Some(io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
        ) {
            return Poll::Ready(written);
        }
    }
}
