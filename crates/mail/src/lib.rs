//! The mailer port: each mail as a file, or over SMTP. What a mail says and how it becomes a message is apart from how it
//! goes out.

pub mod file;
mod phrase;
mod rendered_mail;
pub mod sender;
pub mod smtp;
