//! Letters as mail messages (RFC 5322, RFC 2045), whichever way they go out.

use std::time::SystemTime;

use allclear_application::error::Error;
use allclear_domain::email::Mailbox as Address;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use lettre::Message;
use lettre::message::{Mailbox, MultiPart};
use uuid::Uuid;

use crate::letter::Letter;

/// The message that carries a letter, in text and in HTML.
///
/// # Errors
/// [`Error::Invalid`] when mail cannot go to such an address: forms take some that RFC 5321 does not.
pub(crate) fn message(
    letter: Letter,
    from: &Mailbox,
    to: &str,
    now: DateTime<Utc>,
    id: Uuid,
) -> Result<Message, Error> {
    // Few mail servers take an internationalised domain as it is typed (RFC 6531); all take its ASCII form.
    let address = if to.is_ascii() { to.to_owned() } else { Address::of(to).as_str().to_owned() };
    let to = address.parse().map_err(|_| Invalid::field("email", "Invalid email address"))?;
    let to = Mailbox::new(None, to);
    Message::builder()
        .message_id(Some(format!("<{id}@{}>", from.email.domain())))
        .date(SystemTime::from(now))
        .from(from.clone())
        .to(to)
        .subject(letter.subject)
        .multipart(MultiPart::alternative_plain_html(letter.text, letter.html))
        .map_err(Error::internal)
}
