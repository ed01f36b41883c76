//! The body for an incoming webhook of Slack: Block Kit.

use allclear_domain::tone::Tone;
use serde::Serialize;

use super::chat::{Chat, Link};
use super::text::{ELLIPSIS, Syntax, cut, length, lines, parts};

/// Limits of Slack: of a header, and of a section's text.
const MAX_HEADER_LENGTH: usize = 150;
const MAX_SECTION_LENGTH: usize = 3000;
/// The sum of all texts must not exceed 13,000. The parts of a message are limited so that it
/// does not.
const MAX_FALLBACK_LENGTH: usize = 400;
const MAX_STATUS_LENGTH: usize = 600;
const MESSAGE: [usize; 3] = [MAX_SECTION_LENGTH, MAX_SECTION_LENGTH, 1000];
const MAX_AFFECTED_LENGTH: usize = 2000;
const MAX_NAME_LENGTH: usize = 300;
const MAX_URL_LENGTH: usize = 1000;

const TEXT: Syntax = Syntax {
    escape,
    link: address_link,
};

/// A body.
#[derive(Serialize)]
pub(super) struct SlackBody {
    /// The text of the notification.
    text: String,
    blocks: Vec<Block>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Header { text: Text },
    Section { text: Text },
    Context { elements: Vec<Text> },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Text {
    PlainText {
        text: String,
        /// Whether `:names:` become emoji.
        emoji: bool,
    },
    Mrkdwn {
        text: String,
        /// Whether Slack makes no links and mentions from the text.
        verbatim: bool,
    },
}

impl SlackBody {
    pub(super) fn of(chat: &Chat<'_>) -> Self {
        let title = cut(&chat.title, MAX_HEADER_LENGTH, escape).text;
        let fallback = format!("[{}] {}", chat.status, chat.title);
        let page = cut(chat.page, MAX_STATUS_LENGTH - 100, escape).text;
        let status = format!("{} *{}* · {page}", circle(chat.tone), chat.status);
        let mut blocks = vec![
            Block::Header {
                text: Text::PlainText {
                    text: title,
                    emoji: false,
                },
            },
            section(status),
        ];
        blocks.extend(message(chat).into_iter().map(section));
        blocks.extend(affected(chat).map(section));
        let times = chat.times.iter();
        let times: Vec<_> = times
            .map(|(label, time)| mrkdwn(format!("{label}: {time}")))
            .collect();
        let links = [&chat.main, &chat.manage].into_iter().filter_map(link);
        let links: Vec<_> = links.map(mrkdwn).collect();
        for elements in [times, links] {
            if !elements.is_empty() {
                blocks.push(Block::Context { elements });
            }
        }
        Self {
            text: cut(&fallback, MAX_FALLBACK_LENGTH, escape).text,
            blocks,
        }
    }
}

/// The text in one part for each section. If it is cut, a link to the rest ends it.
fn message(chat: &Chat<'_>) -> Vec<String> {
    let rest = match chat.main.within(MAX_URL_LENGTH) {
        Some(url) => format!("{ELLIPSIS} <{}|Read the rest>", escaped_url(url)),
        None => ELLIPSIS.to_owned(),
    };
    let (mut parts, is_whole) = parts(&chat.text, &MESSAGE, length(&rest), TEXT);
    if !is_whole && let Some(last) = parts.last_mut() {
        last.push_str(&rest);
    }
    parts
}

fn affected(chat: &Chat<'_>) -> Option<String> {
    let line = |(name, impact): &(&str, Option<&str>)| {
        let name = cut(name, MAX_NAME_LENGTH, escape).text;
        match impact {
            Some(impact) => format!("• {name}: {impact}"),
            None => format!("• {name}"),
        }
    };
    let items: Vec<_> = chat.affected.iter().map(line).collect();
    let heading = "*Affected*";
    let limit = MAX_AFFECTED_LENGTH - heading.len() - 1;
    let list = lines(&items, chat.unnamed, limit, usize::MAX);
    (!list.is_empty()).then(|| format!("{heading}\n{}", list.join("\n")))
}

fn section(text: String) -> Block {
    Block::Section { text: mrkdwn(text) }
}

const fn mrkdwn(text: String) -> Text {
    Text::Mrkdwn {
        text,
        verbatim: true,
    }
}

fn link(link: &Link<'_>) -> Option<String> {
    let url = escaped_url(link.within(MAX_URL_LENGTH)?);
    Some(format!("<{url}|{}>", link.label))
}

/// An address in a text as a link that shows it.
fn address_link(address: &str) -> Option<String> {
    let link = format!("<{}>", escaped_url(address));
    (length(&link) <= MAX_URL_LENGTH).then_some(link)
}

fn escaped_url(url: &str) -> String {
    url.replace('&', "&amp;")
        .replace('<', "%3C")
        .replace('>', "%3E")
        .replace('|', "%7C")
}

/// Slack reads mentions and links only between angle brackets.
fn escape(grapheme: &str, out: &mut String) {
    for character in grapheme.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
}

const fn circle(tone: Tone) -> &'static str {
    match tone {
        Tone::Operational => "🟢",
        Tone::Degraded => "🟡",
        Tone::Partial => "🟠",
        Tone::Major => "🔴",
        Tone::Maintenance => "🔵",
        Tone::Neutral => "⚪",
    }
}
