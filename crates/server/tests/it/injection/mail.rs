//! Mails as a mail program reads them.

use std::path::Path;

use allclear_domain::mail_name::mail_name;
use mail_parser::MessageParser;
use serde_json::Value;
use url::Url;

use super::html::Markup;
use super::words;

/// A mail as it was sent.
pub(super) struct Mail {
    to: String,
    subject: String,
    headers: Vec<String>,
    text: String,
    html: String,
}

/// Where a mail shows a text.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShownText {
    /// The names of its headers.
    headers: Vec<String>,
    /// Whether the text's letters and digits are in its subject.
    in_subject: bool,
    /// How often the text occurs in the plain part.
    in_text: usize,
    /// How often the text occurs in the HTML part.
    in_html: usize,
    elements: Vec<String>,
}

/// The mails to these addresses, the oldest first.
pub(super) fn to(folder: &Path, addresses: &[String]) -> Vec<Mail> {
    let files = std::fs::read_dir(folder.join("data/mail"))
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|kind| kind == "eml"))
        .collect();
    files.sort();
    let mails = files
        .iter()
        .map(|path| Mail::read(&std::fs::read(path).unwrap()));
    mails.filter(|mail| addresses.contains(&mail.to)).collect()
}

impl Mail {
    fn read(bytes: &[u8]) -> Self {
        let message = MessageParser::default().parse(bytes).expect("a mail");
        let to: Vec<_> = message
            .to()
            .unwrap()
            .iter()
            .filter_map(|mailbox| mailbox.address())
            .collect();
        let raw = std::str::from_utf8(bytes).unwrap();
        let (head, _) = raw.split_once("\r\n\r\n").unwrap();
        let lines = head
            .split("\r\n")
            .filter(|line| !line.starts_with([' ', '\t']));
        Self {
            to: to.join(" and "),
            subject: message.subject().unwrap().to_owned(),
            headers: lines
                .map(|line| line.split(':').next().unwrap().to_owned())
                .collect(),
            text: message.body_text(0).unwrap().into_owned(),
            html: message.body_html(0).unwrap().into_owned(),
        }
    }

    /// What the link to this page carries, as the page sends it.
    pub(super) fn carried(&self, page: &str) -> Value {
        let link = self
            .text
            .split_whitespace()
            .find(|word| word.starts_with("http") && word.contains(page));
        let link =
            Url::parse(link.unwrap_or_else(|| panic!("no {page} in {}", self.text))).unwrap();
        link.query_pairs()
            .map(|(key, value)| (key.into_owned(), Value::from(value.into_owned())))
            .collect()
    }
}

/// What a mail shows of a text that is a name: the text without web addresses, or neutral words if
/// nothing is left.
fn names(text: &str) -> Vec<String> {
    mail_name(text).map_or_else(
        || vec!["an organisation".to_owned(), "Somebody invites".to_owned()],
        |name| vec![name],
    )
}

/// How often a text or its names occur in another text. A name within the text does not count.
fn count(text: &str, whole: &str, names: &[String]) -> usize {
    let rest = words(text).replace(&words(whole), "\0");
    let parts = names.iter().map(|name| rest.matches(&words(name)).count());
    rest.matches('\0').count() + parts.sum::<usize>()
}

impl ShownText {
    pub(super) fn of(mail: &Mail, text: &str) -> Self {
        let letters = |text: &str| {
            text.chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
        };
        let html = Markup::read(&mail.html);
        let names = names(text);
        let in_html = |name: &String| {
            html.shows(name) - html.shows(text) * words(text).matches(&words(name)).count()
        };
        assert!(
            html.code.is_empty() && !mail.subject.contains(['\r', '\n']),
            "{}",
            mail.subject
        );
        Self {
            headers: mail.headers.clone(),
            in_subject: [text]
                .into_iter()
                .chain(names.iter().map(String::as_str))
                .any(|shown| letters(&mail.subject).contains(&letters(shown))),
            in_text: count(&mail.text, text, &names),
            in_html: html.shows(text) + names.iter().map(in_html).sum::<usize>(),
            elements: html.elements,
        }
    }

    /// Whether the subject and both parts show the text.
    pub(super) fn is_everywhere(&self) -> bool {
        self.in_subject && self.in_text > 0 && self.in_html > 0
    }
}
