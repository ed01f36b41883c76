//! The body for a workflow of Microsoft Teams: an Adaptive Card.
//!
//! Texts are runs of rich text blocks. Teams reads Markdown in text blocks and facts, and its
//! clients disagree about escapes there (<https://github.com/microsoft/AdaptiveCards/issues/5590>);
//! a run is shown as it is.

use allclear_domain::tone::Tone;
use serde::Serialize;

use super::chat::{Chat, Link};
use super::text::{ELLIPSIS, Syntax, cut, cut_with, length, lines, plain};

/// Maximum number of bytes of a body, in UTF-8 and in UTF-16: Teams does not say which of them
/// it counts.
const BODY_BYTES: usize = 28_000;
/// Code units of the text. A body that is too large is written again with the next.
const TEXT_LENGTHS: [usize; 6] = [10_000, 6000, 3500, 2000, 1000, 400];
/// Lines of the text, and of the affected components.
const TEXT_LINES: usize = 40;
const AFFECTED_LINES: usize = 25;
const MAX_TITLE_LENGTH: usize = 250;
const MAX_NAME_LENGTH: usize = 120;
const MAX_AFFECTED_LENGTH: usize = 1500;
const MAX_URL_LENGTH: usize = 1000;

/// A body.
#[derive(Serialize)]
pub(super) struct TeamsBody {
    r#type: &'static str,
    attachments: [Attachment; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Attachment {
    content_type: &'static str,
    content_url: Option<String>,
    content: Card,
}

#[derive(Serialize)]
struct Card {
    r#type: &'static str,
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    body: Vec<Element>,
    actions: Vec<Action>,
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Element {
    Container {
        style: &'static str,
        bleed: bool,
        items: Vec<Element>,
    },
    RichTextBlock {
        spacing: &'static str,
        inlines: Vec<TextRun>,
    },
}

#[derive(Serialize)]
struct TextRun {
    r#type: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<&'static str>,
    #[serde(rename = "isSubtle", skip_serializing_if = "std::ops::Not::not")]
    is_subtle: bool,
}

#[derive(Serialize)]
struct Action {
    r#type: &'static str,
    title: &'static str,
    url: String,
}

impl TeamsBody {
    pub(super) fn of(chat: &Chat<'_>) -> Self {
        let [longest, shorter @ ..] = TEXT_LENGTHS;
        shorter
            .into_iter()
            .fold(Self::with_text(chat, longest), |body, length| {
                if body.fits() {
                    body
                } else {
                    Self::with_text(chat, length)
                }
            })
    }

    fn fits(&self) -> bool {
        let json = serde_json::to_string(self).unwrap_or_default();
        json.len().max(2 * length(&json)) <= BODY_BYTES
    }

    fn with_text(chat: &Chat<'_>, limit: usize) -> Self {
        let title = cut(&chat.title, MAX_TITLE_LENGTH, plain).text;
        let page = cut(chat.page, MAX_TITLE_LENGTH, plain).text;
        let mut body = vec![Element::Container {
            style: style(chat.tone),
            bleed: true,
            items: vec![
                line("Default", TextRun::new(title).large().bold()),
                block(
                    "Small",
                    vec![
                        TextRun::new(chat.status.to_owned()).bold(),
                        TextRun::new(format!(" · {page}")),
                    ],
                ),
            ],
        }];
        body.extend(paragraphs(chat, limit));
        body.extend(affected(chat));
        let times = chat.times.iter();
        body.extend(times.map(|(label, time)| {
            let run = TextRun::new(format!("{label}: {time}"));
            line("Small", run.subtle())
        }));
        let actions = [&chat.main, &chat.manage].into_iter().filter_map(action);
        Self {
            r#type: "message",
            attachments: [Attachment {
                content_type: "application/vnd.microsoft.card.adaptive",
                content_url: None,
                content: Card {
                    r#type: "AdaptiveCard",
                    schema: "https://adaptivecards.io/schemas/adaptive-card.json",
                    version: "1.5",
                    body,
                    actions: actions.collect(),
                },
            }],
        }
    }
}

/// A block for each line of the text. If it is cut, the last names the action that leads to
/// the rest.
fn paragraphs(chat: &Chat<'_>, limit: usize) -> Vec<Element> {
    let rest = format!("{ELLIPSIS} (“{}” leads to the rest)", chat.main.label);
    let mut cut = cut_with(
        &chat.text,
        limit,
        length(&rest),
        Syntax::without_links(plain),
    );
    let is_line = |line: &&str| !line.trim().is_empty();
    let written = cut.text.lines().filter(is_line).count();
    let mut kept: Vec<String> = cut
        .text
        .lines()
        .filter(is_line)
        .take(TEXT_LINES)
        .map(str::to_owned)
        .collect();
    cut.is_whole &= written <= TEXT_LINES;
    if !cut.is_whole {
        let last = kept.pop().unwrap_or_default();
        kept.push(last + &rest);
    }
    let paragraph = |text| line("Small", TextRun::new(text));
    kept.into_iter().map(paragraph).collect()
}

fn affected(chat: &Chat<'_>) -> Vec<Element> {
    let item = |(name, impact): &(&str, Option<&str>)| {
        let name = cut(name, MAX_NAME_LENGTH, plain).text;
        match impact {
            Some(impact) => format!("{name}: {impact}"),
            None => name,
        }
    };
    let items: Vec<_> = chat.affected.iter().map(item).collect();
    let list = lines(&items, chat.unnamed, MAX_AFFECTED_LENGTH, AFFECTED_LINES);
    let heading =
        (!list.is_empty()).then(|| line("Medium", TextRun::new("Affected".into()).bold()));
    let list = list.into_iter();
    let list = list.map(|text| line("None", TextRun::new(text)));
    heading.into_iter().chain(list).collect()
}

fn action(link: &Link<'_>) -> Option<Action> {
    Some(Action {
        r#type: "Action.OpenUrl",
        title: link.label,
        url: link.within(MAX_URL_LENGTH)?.to_owned(),
    })
}

fn line(spacing: &'static str, run: TextRun) -> Element {
    block(spacing, vec![run])
}

const fn block(spacing: &'static str, inlines: Vec<TextRun>) -> Element {
    Element::RichTextBlock { spacing, inlines }
}

impl TextRun {
    const fn new(text: String) -> Self {
        Self {
            r#type: "TextRun",
            text,
            size: None,
            weight: None,
            is_subtle: false,
        }
    }

    fn large(self) -> Self {
        Self {
            size: Some("Large"),
            ..self
        }
    }

    fn bold(self) -> Self {
        Self {
            weight: Some("Bolder"),
            ..self
        }
    }

    fn subtle(self) -> Self {
        Self {
            is_subtle: true,
            ..self
        }
    }
}

const fn style(tone: Tone) -> &'static str {
    match tone {
        Tone::Operational => "good",
        Tone::Degraded | Tone::Partial => "warning",
        Tone::Major => "attention",
        Tone::Maintenance => "accent",
        Tone::Neutral => "emphasis",
    }
}
