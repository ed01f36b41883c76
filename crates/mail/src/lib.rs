//! Adapter of the mailer port: renders mails, and sends them over SMTP or writes them to files.

pub mod file;
mod phrase;
mod rendered_mail;
pub mod sender;
pub mod smtp;
