//! Texts of people inside of messages: escaped, and cut to the limits of a product.

use std::iter;

use allclear_domain::web_address::{self, TextPart};
use unicode_segmentation::UnicodeSegmentation;

/// Stands for what was cut.
pub(super) const ELLIPSIS: &str = "…";

/// Writes a grapheme of a person's text as a product wants it escaped.
pub(super) type Escape = fn(&str, &mut String);

/// Writes a web address as a link; `None` if it is too long for one, so that it stays text.
pub(super) type WriteLink = fn(&str) -> Option<String>;

/// How a product reads a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax {
    pub(super) escape: Escape,
    pub(super) link: WriteLink,
}

impl Syntax {
    /// A syntax in which addresses stay text.
    pub(super) const fn without_links(escape: Escape) -> Self {
        Self {
            escape,
            link: |_| None,
        }
    }

    /// The pieces of a text that are not cut inside: links, and graphemes without a link.
    fn pieces(self, text: &str) -> impl Iterator<Item = (&str, Option<String>)> {
        let parts = web_address::parts(text).into_iter();
        parts.flat_map(move |part| -> Box<dyn Iterator<Item = _>> {
            let (text, link) = match part {
                TextPart::Text(text) => (text, None),
                TextPart::Address(address) => (address, (self.link)(address)),
            };
            if link.is_some() {
                Box::new(iter::once((text, link)))
            } else {
                Box::new(text.graphemes(true).map(|grapheme| (grapheme, None)))
            }
        })
    }
}

/// A text within a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) text: String,
    /// Whether it is the whole text.
    pub(super) is_whole: bool,
}

/// Length of a text in UTF-16 code units: no product counts more for a character.
pub(super) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// No escape: the product shows the text as it is.
pub(super) fn plain(grapheme: &str, out: &mut String) {
    out.push_str(grapheme);
}

/// Cuts a text between graphemes, without links, so that it has at most `limit` code units after
/// the escape, with the ellipsis.
pub(super) fn cut(text: &str, limit: usize, escape: Escape) -> Cut {
    let syntax = Syntax::without_links(escape);
    let mut cut = cut_with(text, limit, length(ELLIPSIS), syntax);
    if !cut.is_whole {
        cut.text.push_str(ELLIPSIS);
    }
    cut
}

/// Cuts a text so that, if something is cut, `reserve` of the code units are left free.
pub(super) fn cut_with(text: &str, limit: usize, reserve: usize, syntax: Syntax) -> Cut {
    let (text, rest) = split(text, limit, reserve, syntax);
    Cut {
        text,
        is_whole: rest.is_empty(),
    }
}

/// The escaped beginning of a text within the limit, and the rest of the text. If there is a rest,
/// `reserve` of the code units are left free.
fn split(text: &str, limit: usize, reserve: usize, syntax: Syntax) -> (String, &str) {
    let mut written = String::new();
    let mut used = 0;
    let mut kept = (0, 0);
    let mut end = 0;
    for (piece, link) in syntax.pieces(text) {
        let before = written.len();
        match link {
            Some(link) => written.push_str(&link),
            None => (syntax.escape)(piece, &mut written),
        }
        end += piece.len();
        used += length(&written[before..]);
        if used > limit {
            written.truncate(kept.1);
            return (written, &text[kept.0..]);
        }
        if used + reserve <= limit {
            kept = (end, written.len());
        }
    }
    (written, "")
}

/// Splits a text into parts of at most these lengths, between words where there are any. Of the
/// last part, `reserve` code units are left free if a rest is cut off; returns whether nothing was.
pub(super) fn parts(
    text: &str,
    limits: &[usize],
    reserve: usize,
    syntax: Syntax,
) -> (Vec<String>, bool) {
    let mut parts = Vec::new();
    let mut text = text.trim();
    for (index, limit) in limits.iter().enumerate() {
        if text.is_empty() {
            break;
        }
        let is_last = index + 1 == limits.len();
        let (mut part, mut rest) = split(text, *limit, if is_last { reserve } else { 0 }, syntax);
        let taken = &text[..text.len() - rest.len()];
        let is_inside_word = !is_last
            && !rest.is_empty()
            && !rest.starts_with(char::is_whitespace)
            && !taken.ends_with(char::is_whitespace);
        if is_inside_word && let Some(space) = taken.rfind(char::is_whitespace) {
            part = split(&text[..space], *limit, 0, syntax).0;
            rest = &text[space..];
        }
        part.truncate(part.trim_end().len());
        let is_stuck = rest.len() == text.len();
        parts.push(part);
        text = rest.trim_start();
        if is_stuck {
            break;
        }
    }
    (parts, text.is_empty())
}

/// Items within a limit, each on a line, `most` lines at most; the last says how many are left out,
/// with `others` that are not among the items.
pub(super) fn lines(items: &[String], others: u64, limit: usize, most: usize) -> Vec<String> {
    let mut kept = Vec::new();
    let mut used = 0;
    for (index, item) in items.iter().enumerate() {
        let left = (items.len() - index) as u64 + others;
        let more = more(left);
        let is_last = left == 1;
        // A line break follows each line.
        let reserve = if is_last { 0 } else { length(&more) + 1 };
        let fits = used + length(item) + 1 + reserve <= limit && (is_last || index + 1 < most);
        if !fits {
            kept.push(more);
            return kept;
        }
        used += length(item) + 1;
        kept.push(item.clone());
    }
    if others > 0 {
        kept.push(more(others));
    }
    kept
}

fn more(count: u64) -> String {
    format!("and {count} more")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FAMILY: &str = "👨‍👩‍👧‍👦";

    const PLAIN: Syntax = Syntax::without_links(plain);

    fn doubled(grapheme: &str, out: &mut String) {
        out.push_str(grapheme);
        out.push_str(grapheme);
    }

    #[test]
    fn a_text_within_the_limit_stays_whole() {
        assert_eq!(cut("abcde", 5, plain).text, "abcde");
        assert_eq!(cut("abcdef", 5, plain).text, "abcd…");
        assert_eq!(cut("", 5, plain).text, "");
        assert_eq!(cut("abc", 6, doubled).text, "aabbcc");
        assert_eq!(cut("abc", 5, doubled).text, "aabb…");
    }

    #[test]
    fn a_sequence_of_emoji_is_not_cut_inside() {
        let text = format!("ab{FAMILY}c");
        let whole = length(&text);
        assert_eq!(whole, 14);
        for limit in 3..whole {
            assert_eq!(cut(&text, limit, plain).text, "ab…", "{limit}");
        }
        assert_eq!(cut(&text, whole, plain).text, text);
    }

    #[test]
    fn parts_are_split_between_words() {
        let split = parts("one two three", &[8, 8], 0, PLAIN);
        assert_eq!(split, (vec!["one two".into(), "three".into()], true));
        let split = parts("onetwothree", &[8, 8], 0, PLAIN);
        assert_eq!(split, (vec!["onetwoth".into(), "ree".into()], true));
        let split = parts("one two three", &[4, 4], 1, PLAIN);
        assert_eq!(split, (vec!["one".into(), "two".into()], false));
    }

    #[test]
    fn links_are_whole_or_left_out() {
        let linked = Syntax {
            escape: doubled,
            link: |address| (address.len() < 20).then(|| format!("<{address}>")),
        };
        let text = "ab https://x.example/";
        let cut = |limit| cut_with(text, limit, 0, linked).text;
        assert_eq!(cut(30), "aabb  <https://x.example/>");
        assert_eq!(cut(25), "aabb  ");
        let long = cut_with("https://x.example/very/long", 90, 0, linked).text;
        assert!(long.starts_with("hhttttppss::"), "{long}");
        let split = parts(text, &[8, 30], 0, linked).0;
        assert_eq!(split, ["aabb", "<https://x.example/>"]);
    }

    #[test]
    fn lines_that_do_not_fit_are_counted() {
        let items: Vec<String> = (0..100).map(|number| format!("item {number}")).collect();
        let few = lines(&items, 0, 60, 50);
        assert_eq!(few.last().unwrap(), "and 94 more");
        assert_eq!(few.len(), 7);
        let most = lines(&items, 0, 10_000, 50);
        assert_eq!(most.len(), 50);
        assert_eq!(most.last().unwrap(), "and 51 more");
        assert_eq!(lines(&items, 0, 10_000, 100), items);
        let with_others = lines(&items, 900, 10_000, 101);
        assert_eq!(with_others[..100], items);
        assert_eq!(with_others[100..], ["and 900 more"]);
        let full = lines(&items, 900, 10_000, 100);
        assert_eq!(full.len(), 100);
        assert_eq!(full.last().unwrap(), "and 901 more");
    }

    proptest! {
        #[test]
        fn limits_hold(text in ".{0,60}", limit in 1..80_usize, parts_of in 1..20_usize) {
            let cut = cut(&text, limit, doubled);
            prop_assert!(length(&cut.text) <= limit);
            let (parts, _) = parts(&text, &[parts_of, parts_of], 1, PLAIN);
            for part in parts {
                prop_assert!(length(&part) <= parts_of);
            }
        }
    }
}
