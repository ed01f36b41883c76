//! The body for a webhook of Discord: one embed.

use allclear_application::timestamp;
use allclear_domain::tone::Tone;
use serde::Serialize;

use super::chat::{Chat, Link};
use super::text::{ELLIPSIS, Syntax, cut, cut_with, length, lines, plain};

/// Limits of Discord: of a title, and of a field's value.
const MAX_TITLE_LENGTH: usize = 256;
const MAX_VALUE_LENGTH: usize = 1024;
/// The sum of all texts must not exceed 6,000. The parts of an embed are limited so that it
/// does not.
const MAX_DESCRIPTION_LENGTH: usize = 3000;
const MAX_NAME_LENGTH: usize = 200;
const MAX_FOOTER_LENGTH: usize = 200;
const MAX_URL_LENGTH: usize = 500;

const TEXT: Syntax = Syntax {
    escape,
    link: address_link,
};

/// A body.
#[derive(Serialize)]
pub(super) struct DiscordBody {
    allowed_mentions: AllowedMentions,
    embeds: [Embed; 1],
}

/// Nobody is mentioned, whatever the text says.
#[derive(Serialize)]
struct AllowedMentions {
    parse: [&'static str; 0],
}

#[derive(Serialize)]
struct Embed {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    description: String,
    color: u32,
    timestamp: String,
    fields: Vec<Field>,
    footer: Footer,
}

#[derive(Serialize)]
struct Field {
    name: &'static str,
    value: String,
    inline: bool,
}

#[derive(Serialize)]
struct Footer {
    text: String,
}

impl DiscordBody {
    pub(super) fn of(chat: &Chat<'_>) -> Self {
        let inline = |name, value| Field {
            name,
            value,
            inline: true,
        };
        let wide = |name, value| Field {
            name,
            value,
            inline: false,
        };
        let mut fields = vec![inline("Status", chat.status.to_owned())];
        let times = chat.times.iter();
        fields.extend(times.map(|(label, time)| inline(label, time.clone())));
        fields.extend(affected(chat).map(|list| wide("Affected", list)));
        let links = [&chat.main, &chat.manage].into_iter().filter_map(link);
        let links: Vec<_> = links.collect();
        if !links.is_empty() {
            fields.push(wide("Links", links.join(" · ")));
        }
        Self {
            allowed_mentions: AllowedMentions { parse: [] },
            embeds: [Embed {
                title: cut(&chat.title, MAX_TITLE_LENGTH, escape).text,
                url: chat.main.within(MAX_URL_LENGTH).map(str::to_owned),
                description: description(chat),
                color: color(chat.tone),
                timestamp: timestamp::text(&chat.at),
                fields,
                footer: Footer {
                    text: cut(chat.page, MAX_FOOTER_LENGTH, plain).text,
                },
            }],
        }
    }
}

/// The text. If it is cut, a link to the rest ends it.
fn description(chat: &Chat<'_>) -> String {
    let rest = match chat.main.within(MAX_URL_LENGTH) {
        Some(url) => format!("{ELLIPSIS} [Read the rest]({})", escaped_url(url)),
        None => ELLIPSIS.to_owned(),
    };
    let mut cut = cut_with(&chat.text, MAX_DESCRIPTION_LENGTH, length(&rest), TEXT);
    if !cut.is_whole {
        cut.text.push_str(&rest);
    }
    cut.text
}

fn affected(chat: &Chat<'_>) -> Option<String> {
    let line = |(name, impact): &(&str, Option<&str>)| {
        let name = cut(name, MAX_NAME_LENGTH, escape).text;
        match impact {
            Some(impact) => format!("{name}: {impact}"),
            None => name,
        }
    };
    let items: Vec<_> = chat.affected.iter().map(line).collect();
    let list = lines(&items, chat.unnamed, MAX_VALUE_LENGTH, usize::MAX);
    (!list.is_empty()).then(|| list.join("\n"))
}

fn link(link: &Link<'_>) -> Option<String> {
    // Two of them fit into one field.
    let url = escaped_url(link.within(MAX_URL_LENGTH)?);
    (length(&url) + 40 <= MAX_VALUE_LENGTH / 2).then(|| format!("[{}]({url})", link.label))
}

/// An address in a text as a link that shows it. Without the brackets, an escaped character behind
/// the address would be a part of it.
fn address_link(address: &str) -> Option<String> {
    let link = format!("<{address}>");
    (length(&link) <= MAX_URL_LENGTH).then_some(link)
}

fn escaped_url(url: &str) -> String {
    url.replace('(', "%28").replace(')', "%29")
}

/// A backslash before each character that Discord may read as markup, a mention, an emoji or the
/// scheme of a link.
fn escape(grapheme: &str, out: &mut String) {
    for character in grapheme.chars() {
        if r"\*_~`|<>#-+[]():@".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
}

const fn color(tone: Tone) -> u32 {
    match tone {
        Tone::Operational => 0x2e_cc71,
        Tone::Degraded => 0xf1_c40f,
        Tone::Partial => 0xe6_7e22,
        Tone::Major => 0xe7_4c3c,
        Tone::Maintenance => 0x34_98db,
        Tone::Neutral => 0x95_a5a6,
    }
}
