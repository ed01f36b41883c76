//! HTML as a browser reads it.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::words;

/// The content of a page.
#[derive(Debug, Default)]
pub(super) struct Markup {
    /// Its elements, each with the names of its attributes, and its comments.
    pub(super) elements: Vec<String>,
    /// The code of the scripts that run.
    pub(super) code: String,
    /// The content of data blocks: scripts that do not run (HTML Standard, section 4.12.1).
    pub(super) data: String,
    attributes: Vec<String>,
    text: String,
    within: Within,
}

/// The kind of content that is being read.
#[derive(Debug, Default)]
enum Within {
    #[default]
    Text,
    Code,
    Data,
}

impl Markup {
    pub(super) fn read(html: &str) -> Self {
        let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
        let input = BufferQueue::default();
        input.push_back(StrTendril::from_slice(html));
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        tokenizer.sink.0.into_inner()
    }

    /// How often a text is shown.
    pub(super) fn shows(&self, text: &str) -> usize {
        words(&self.text).matches(&words(text)).count()
    }

    /// Number of attributes that contain a text.
    pub(super) fn attributes_with(&self, text: &str) -> usize {
        self.attributes
            .iter()
            .filter(|value| words(value).contains(&words(text)))
            .count()
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        self.text.push(' ');
        self.within = Within::Text;
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        let names: Vec<_> = tag
            .attrs
            .iter()
            .map(|attribute| attribute.name.local.to_string())
            // The colour of a bar depends on the time.
            .filter(|name| &*tag.name != "path" || name != "class")
            .collect();
        // Mails show the line breaks of a text.
        if &*tag.name != "br" {
            self.elements
                .push(format!("{} {}", tag.name, names.join(" ")));
        }
        self.attributes.extend(
            tag.attrs
                .iter()
                .map(|attribute| attribute.value.to_string()),
        );
        match &*tag.name {
            "script" => {
                let data = tag
                    .attrs
                    .iter()
                    .any(|attribute| &*attribute.value == "application/json");
                self.within = if data { Within::Data } else { Within::Code };
                TokenSinkResult::RawData(RawKind::ScriptData)
            }
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

#[derive(Default)]
struct Sink(RefCell<Markup>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut markup = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => return markup.tag(&tag),
            Token::CommentToken(_) => markup.elements.push("a comment".to_owned()),
            Token::CharacterTokens(text) => match markup.within {
                Within::Text => markup.text.push_str(&text),
                Within::Code => markup.code.push_str(&text),
                Within::Data => markup.data.push_str(&text),
            },
            _ => {}
        }
        TokenSinkResult::Continue
    }
}
