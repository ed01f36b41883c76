//! Texts of people inside of messages: escaped, and cut to the limits of a product.

use unicode_segmentation::UnicodeSegmentation;

/// Stands for what was cut.
pub(super) const ELLIPSIS: &str = "…";

/// Writes a grapheme of a person's text so that a product shows it as it is.
pub(super) type Escape = fn(&str, &mut String);

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

/// Cuts a text between graphemes, so that it has at most `limit` code units after the escape, with the ellipsis.
pub(super) fn cut(text: &str, limit: usize, escape: Escape) -> Cut {
    let mut cut = cut_with(text, limit, length(ELLIPSIS), escape);
    if !cut.is_whole {
        cut.text.push_str(ELLIPSIS);
    }
    cut
}

/// Cuts a text so that, if something is cut, `reserve` of the code units are left free.
pub(super) fn cut_with(text: &str, limit: usize, reserve: usize, escape: Escape) -> Cut {
    let (text, rest) = split(text, limit, reserve, escape);
    Cut {
        text,
        is_whole: rest.is_empty(),
    }
}

/// The escaped beginning of a text within the limit, and the rest of the text. If there is a rest, `reserve` of the code units are
/// left free.
fn split(text: &str, limit: usize, reserve: usize, escape: Escape) -> (String, &str) {
    let mut written = String::new();
    let mut used = 0;
    let mut kept = (0, 0);
    for (start, grapheme) in text.grapheme_indices(true) {
        let before = written.len();
        escape(grapheme, &mut written);
        used += length(&written[before..]);
        if used > limit {
            written.truncate(kept.1);
            return (written, &text[kept.0..]);
        }
        if used + reserve <= limit {
            kept = (start + grapheme.len(), written.len());
        }
    }
    (written, "")
}

/// Splits a text into parts of at most these lengths, between words where there are any. Of the last part, `reserve` code units are
/// left free if a rest is cut off; returns whether nothing was.
pub(super) fn parts(
    text: &str,
    limits: &[usize],
    reserve: usize,
    escape: Escape,
) -> (Vec<String>, bool) {
    let mut parts = Vec::new();
    let mut text = text.trim();
    for (index, limit) in limits.iter().enumerate() {
        if text.is_empty() {
            break;
        }
        let is_last = index + 1 == limits.len();
        let (mut part, mut rest) = split(text, *limit, if is_last { reserve } else { 0 }, escape);
        let taken = &text[..text.len() - rest.len()];
        let is_inside_word = !is_last
            && !rest.is_empty()
            && !rest.starts_with(char::is_whitespace)
            && !taken.ends_with(char::is_whitespace);
        if is_inside_word && let Some(space) = taken.rfind(char::is_whitespace) {
            part = split(&text[..space], *limit, 0, escape).0;
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

/// Items within a limit, each on a line, `most` lines at most; the last says how many are left out.
pub(super) fn lines(items: &[String], limit: usize, most: usize) -> Vec<String> {
    let mut kept = Vec::new();
    let mut used = 0;
    for (index, item) in items.iter().enumerate() {
        let left = items.len() - index;
        let more = more(left);
        let is_last = left == 1;
        // A line break follows each line.
        let reserve = if is_last { 0 } else { length(&more) + 1 };
        let fits = used + length(item) + 1 + reserve <= limit && (is_last || index + 1 < most);
        if !fits {
            kept.push(more);
            break;
        }
        used += length(item) + 1;
        kept.push(item.clone());
    }
    kept
}

fn more(count: usize) -> String {
    format!("and {count} more")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FAMILY: &str = "👨‍👩‍👧‍👦";

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
        let split = parts("one two three", &[8, 8], 0, plain);
        assert_eq!(split, (vec!["one two".into(), "three".into()], true));
        let split = parts("onetwothree", &[8, 8], 0, plain);
        assert_eq!(split, (vec!["onetwoth".into(), "ree".into()], true));
        let split = parts("one two three", &[4, 4], 1, plain);
        assert_eq!(split, (vec!["one".into(), "two".into()], false));
    }

    #[test]
    fn lines_that_do_not_fit_are_counted() {
        let items: Vec<String> = (0..100).map(|number| format!("item {number}")).collect();
        let few = lines(&items, 60, 50);
        assert_eq!(few.last().unwrap(), "and 94 more");
        assert_eq!(few.len(), 7);
        let most = lines(&items, 10_000, 50);
        assert_eq!(most.len(), 50);
        assert_eq!(most.last().unwrap(), "and 51 more");
        assert_eq!(lines(&items, 10_000, 100), items);
    }

    proptest! {
        #[test]
        fn limits_hold(text in ".{0,60}", limit in 1..80_usize, parts_of in 1..20_usize) {
            let cut = cut(&text, limit, doubled);
            prop_assert!(length(&cut.text) <= limit);
            let (parts, _) = parts(&text, &[parts_of, parts_of], 1, plain);
            for part in parts {
                prop_assert!(length(&part) <= parts_of);
            }
        }
    }
}
