#![cfg(test)]
//! The mailer against a real mail server.

mod encryption;
mod failure;
mod mail_server;
mod message;
mod pool;
