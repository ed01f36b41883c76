//! Who mail comes from, and mails as messages (RFC 5322, RFC 2045), whichever way they go out.

use std::sync::Arc;
use std::time::SystemTime;

use allclear_application::clock::Clock;
use allclear_application::mail::{Mail, MailList, SendError};
use allclear_domain::email::Mailbox as Domain;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart};
use lettre::{Address, Message};
use url::{Host, Url};

use crate::phrase;
use crate::rendered_mail::{RenderedMail, one_line, organisation_name};

/// Writes messages in the installation's name.
#[derive(Clone)]
pub struct Sender {
    from: Mailbox,
    host: String,
    clock: Arc<dyn Clock>,
}

/// A message, and what of it the log may tell.
pub(crate) struct Written {
    pub(crate) message: Message,
    pub(crate) subject: String,
    pub(crate) links: Vec<String>,
}

impl Sender {
    /// Mail from this address, or name and address: `Acme <status@example.com>`. The host of `public_url` makes its
    /// identifiers unlike any other installation's.
    ///
    /// # Errors
    /// One line that says what is wrong with the address.
    pub fn new(from: &str, public_url: &str, clock: Arc<dyn Clock>) -> Result<Self, String> {
        Ok(Self {
            from: mailbox(from)?,
            host: host(public_url),
            clock,
        })
    }

    /// The message that carries a mail, in text and in HTML.
    ///
    /// # Errors
    /// [`SendError::Permanent`] when mail cannot go to such an address: forms take some that RFC 5321 does not.
    pub(crate) fn write(&self, mail: &Mail) -> Result<Written, SendError> {
        let fault = |error: &dyn std::error::Error| SendError::Permanent {
            reason: one_line(&error.to_string()),
        };
        let letter = RenderedMail::write(&mail.content).map_err(|error| fault(&error))?;
        let to: Address =
            Domain::of(&mail.to)
                .as_str()
                .parse()
                .map_err(|_| SendError::Permanent {
                    reason: "no mail can go to such an address".to_owned(),
                })?;
        let own = mail
            .headers
            .message_id
            .clone()
            .unwrap_or_else(|| self.clock.id().to_string());
        let builder = Message::builder()
            .message_id(Some(self.identifier(&own)))
            .date(SystemTime::from(self.clock.now()))
            .from(self.from(mail.headers.list.as_ref()))
            .to(Mailbox::new(None, to))
            .subject(letter.subject.clone())
            // RFC 3834, section 5: no out-of-office reply comes back.
            .raw_header(header("Auto-Submitted", "auto-generated".to_owned()));
        let builder = match &mail.headers.thread {
            Some(root) if *root != own => {
                let root = self.identifier(root);
                builder.in_reply_to(root.clone()).references(root)
            }
            _ => builder,
        };
        let builder = match &mail.headers.list {
            Some(list) => self.listed(builder, list),
            None => builder,
        };
        let message =
            builder.multipart(MultiPart::alternative_plain_html(letter.text, letter.html));
        let message = message.map_err(|error| fault(&error))?;
        Ok(Written {
            message,
            subject: letter.subject,
            links: letter.links,
        })
    }

    /// A list's mail bears the list's name: readers know the organisation, not who runs its status page.
    fn from(&self, list: Option<&MailList>) -> Mailbox {
        let name = list
            .map(|list| one_line(&organisation_name(&list.name)))
            .or_else(|| self.from.name.clone());
        Mailbox::new(name, self.from.email.clone())
    }

    /// What tells programs that this is a list's mail and how to leave it: RFC 2919, RFC 2369 and RFC 8058.
    fn listed(&self, builder: MessageBuilder, list: &MailList) -> MessageBuilder {
        let id = format!("<{}.{}>", list.id, self.host);
        builder
            .raw_header(phrase::header(
                "List-Id",
                &one_line(&organisation_name(&list.name)),
                &id,
            ))
            .raw_header(header(
                "List-Unsubscribe",
                format!("<{}>", list.unsubscribe),
            ))
            .raw_header(header(
                "List-Unsubscribe-Post",
                "List-Unsubscribe=One-Click".to_owned(),
            ))
    }

    fn identifier(&self, local: &str) -> String {
        format!("<{local}@{}>", self.host)
    }

    /// When it is now: a file is named by it.
    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }
}

/// Reads an address mail comes from.
///
/// # Errors
/// One line that says what is wrong with it.
pub fn mailbox(text: &str) -> Result<Mailbox, String> {
    let refused =
        || "it must be an address, or a name and an address: Acme <status@example.com>".to_owned();
    let mailbox: Mailbox = text.parse().map_err(|_| refused())?;
    // Few mail servers take an internationalised domain as it is typed (RFC 6531); all take its ASCII form.
    let address = Domain::of(mailbox.email.as_ref());
    if !address.as_str().is_ascii() {
        return Err("what stands before its @ must be ASCII".to_owned());
    }
    let email = address.as_str().parse().map_err(|_| refused())?;
    Ok(Mailbox::new(
        mailbox.name.map(|name| one_line(&name)),
        email,
    ))
}

/// What stands after the `@` of identifiers. An IPv6 address cannot stand there as it is.
fn host(public_url: &str) -> String {
    let url = Url::parse(public_url).ok();
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => name.to_owned(),
        Some(Host::Ipv4(address)) => address.to_string(),
        _ => "localhost".to_owned(),
    }
}

fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}
