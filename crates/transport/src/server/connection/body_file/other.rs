//! Other systems have no files in memory, or send them in another way: no body has a file.

use std::io;
use std::task::{Context, Poll};

use actix_web::rt::net::TcpStream;

use crate::limit::descriptors::DescriptorGuard;

pub(in crate::server::connection) enum BodyFile {}

impl BodyFile {
    pub(super) fn new(_: &[u8], _: DescriptorGuard) -> Option<Self> {
        None
    }

    pub(in crate::server::connection) fn poll_send(
        &self,
        _: &TcpStream,
        _: &mut Context<'_>,
        _: usize,
    ) -> Poll<io::Result<usize>> {
        match *self {}
    }
}

pub(in crate::server::connection) fn poll_send_before_file(
    _: &TcpStream,
    _: &mut Context<'_>,
    _: &[u8],
) -> Poll<io::Result<usize>> {
    Poll::Ready(Err(io::ErrorKind::Unsupported.into()))
}
