//! The sender, and mails as messages (RFC 5322, RFC 2045).

use std::sync::Arc;
use std::time::SystemTime;

use allclear_application::clock::Clock;
use allclear_application::mail::{Mail, MailList, SendError};
use allclear_domain::email;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart};
use lettre::{Address, Message};
use url::{Host, Url};

use crate::phrase;
use crate::rendered_mail::{RenderedMail, one_line, organisation_name};

/// Writes the messages of an installation.
#[derive(Clone)]
pub struct Sender {
    from: Mailbox,
    host: String,
    clock: Arc<dyn Clock>,
}

/// A message, and the parts of it for the log.
pub(crate) struct WrittenMail {
    pub(crate) message: Message,
    pub(crate) subject: String,
    pub(crate) links: Vec<String>,
}

impl Sender {
    /// A sender with an address, or a name and an address: `Acme <status@example.com>`. Message
    /// identifiers contain the host of `public_url`, so that they are unique.
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

    /// Writes a mail as a message with a text and an HTML part.
    ///
    /// # Errors
    /// [`SendError::Permanent`] if RFC 5321 does not allow the address. Forms accept some of those.
    pub(crate) fn write(&self, mail: &Mail) -> Result<WrittenMail, SendError> {
        let fault = |error: &dyn std::error::Error| SendError::Permanent {
            reason: one_line(&error.to_string()),
        };
        let rendered = RenderedMail::new(&mail.content).map_err(|error| fault(&error))?;
        let to: Address =
            email::Mailbox::of(&mail.to)
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
            .subject(rendered.subject.clone())
            // Prevents out-of-office replies (RFC 3834, section 5).
            .raw_header(header("Auto-Submitted", "auto-generated".to_owned()));
        let builder = match &mail.headers.thread {
            Some(root) if *root != own => {
                let root = self.identifier(root);
                builder.in_reply_to(root.clone()).references(root)
            }
            _ => builder,
        };
        let builder = match &mail.headers.list {
            Some(list) => self.with_list_headers(builder, list),
            None => builder,
        };
        let message = builder.multipart(MultiPart::alternative_plain_html(
            rendered.text,
            rendered.html,
        ));
        let message = message.map_err(|error| fault(&error))?;
        Ok(WrittenMail {
            message,
            subject: rendered.subject,
            links: rendered.links,
        })
    }

    /// The sender's mailbox. Mail of a list has the organisation's name, which its readers know.
    fn from(&self, list: Option<&MailList>) -> Mailbox {
        let name = list
            .map(|list| one_line(&organisation_name(&list.name)))
            .or_else(|| self.from.name.clone());
        Mailbox::new(name, self.from.email.clone())
    }

    /// Adds the headers of a list and its unsubscribe link: RFC 2919, RFC 2369 and RFC 8058.
    fn with_list_headers(&self, builder: MessageBuilder, list: &MailList) -> MessageBuilder {
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

    /// Host of the installation's public URL.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The clock of the sender.
    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }
}

/// Parses a sender's address.
///
/// # Errors
/// One line that says what is wrong with it.
pub fn mailbox(text: &str) -> Result<Mailbox, String> {
    let refused =
        || "it must be an address, or a name and an address: Acme <status@example.com>".to_owned();
    let mailbox: Mailbox = text.parse().map_err(|_| refused())?;
    // Few mail servers accept an internationalised domain (RFC 6531); all accept its ASCII form.
    let address = email::Mailbox::of(mailbox.email.as_ref());
    if !address.as_str().is_ascii() {
        return Err("the part before the @ must be ASCII".to_owned());
    }
    let email = address.as_str().parse().map_err(|_| refused())?;
    Ok(Mailbox::new(
        mailbox.name.map(|name| one_line(&name)),
        email,
    ))
}

/// The part after the `@` of message identifiers. An IPv6 address is not allowed there.
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
