//! Bounds of the raw HTML in Markdown.

use pulldown_cmark::{Event, Tag};

use super::is_inline;

/// How many bytes the unclosed tags of a text may add.
const MAX_ADDED_BYTES: usize = 4_000_000;
/// What an element counts without its attributes, in bytes. It takes ten times as many in memory.
const ELEMENT_BYTES: usize = 50;
/// How many open elements a parser may look at. For many tags it looks through all of them (HTML
/// Standard, section 13.2.4.2), so its time could grow with the square of the text.
const MAX_STEPS: usize = 2_000_000;
/// How many tags a text with raw HTML may have, also those of Markdown. A parser moves what is in a
/// table, but in no cell, before the table (section 13.2.6.1), and looks for that place among all
/// elements there.
const MAX_TAGS: usize = 10_000;
/// How many words a text with raw HTML may have. All of them may be attributes of one tag, and a
/// parser compares each with all others (section 13.2.5.33).
const MAX_WORDS: usize = 12_000;

/// Whether a parser takes a bounded time and memory for the raw HTML of a text with these events.
pub(super) fn is_bounded<'a>(markdown: &str, events: impl Iterator<Item = Event<'a>>) -> bool {
    let size = Size::of(events);
    size.raw == 0
        || (size.added() <= MAX_ADDED_BYTES
            && size.opened.saturating_mul(size.tags) <= MAX_STEPS
            && size.tags <= MAX_TAGS
            && words(markdown) <= MAX_WORDS)
}

/// What decides how long a parser takes for the raw HTML of a text, and how much it adds.
#[derive(Default)]
struct Size {
    /// Length of the raw HTML, in bytes.
    raw: usize,
    /// Number of raw tags that may stay open.
    opened: usize,
    /// Bytes of the elements that a new block opens again.
    reopened: usize,
    /// Number of all tags.
    tags: usize,
}

impl Size {
    fn of<'a>(events: impl Iterator<Item = Event<'a>>) -> Self {
        let mut size = Self::default();
        // The elements of Markdown that are open, and the number of those that are counted.
        let (mut open, mut counted) = (Vec::new(), 0);
        for event in events {
            match event {
                Event::Start(tag) => {
                    size.tags += 1;
                    open.extend(inline_size(&tag));
                }
                Event::End(tag) => {
                    size.tags += 1;
                    if is_inline(tag) {
                        open.pop();
                        counted = counted.min(open.len());
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    size.reopened += open[counted..].iter().sum::<usize>();
                    counted = open.len();
                    size.add_raw(&html);
                }
                _ => {}
            }
        }
        size
    }

    fn add_raw(&mut self, html: &str) {
        self.raw += html.len();
        for (at, _) in html.match_indices('<') {
            let tag = &html[at..];
            self.tags += 1;
            if !may_stay_open(tag) {
                continue;
            }
            self.opened += 1;
            if is_formatting(tag) {
                self.reopened += ELEMENT_BYTES;
            }
        }
    }

    /// How much raw HTML adds at most, in bytes: each block opens the elements of a text that are
    /// not closed, such as `<i>`, again (HTML Standard, section 13.2.4.3), so a short text can have
    /// millions. Elements of Markdown are always closed, unless they have raw HTML in them.
    const fn added(&self) -> usize {
        if self.reopened == 0 {
            return 0;
        }
        (self.reopened + self.raw).saturating_mul(self.tags)
    }
}

/// Number of texts between the characters that may separate attributes.
fn words(text: &str) -> usize {
    let separates =
        |character: char| character.is_ascii_whitespace() || matches!(character, '/' | '"' | '\'');
    text.split(separates)
        .filter(|word| !word.is_empty())
        .count()
}

/// Whether an element may stay open after its tag. It may not after an end tag, after a comment,
/// and if it has no content.
fn may_stay_open(tag: &str) -> bool {
    !tag.starts_with("</") && !tag.starts_with("<!") && !has_no_content(tag)
}

/// Whether a start tag is that of an element without content, also within SVG and `MathML`. A
/// longer name, such as `br-x`, is that of another element.
fn has_no_content(tag: &str) -> bool {
    let ends = |character: char| character.is_ascii_whitespace() || "/>".contains(character);
    let rest = tag.get(1 + element_name(tag).len()..).unwrap_or_default();
    is_one_of(tag, &["br", "hr", "img"]) && rest.starts_with(ends)
}

/// Whether a tag begins or ends an element that a new block opens again (HTML Standard,
/// section 13.2.4.3).
fn is_formatting(tag: &str) -> bool {
    let formatting = [
        "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt",
        "u",
    ];
    is_one_of(tag, &formatting)
}

/// Whether a tag begins or ends one of these elements.
pub(super) fn is_one_of(tag: &str, elements: &[&str]) -> bool {
    let name = element_name(tag);
    elements
        .iter()
        .any(|element| element.eq_ignore_ascii_case(name))
}

/// The name of a tag's element; empty if the text does not begin with a tag. A name ends at the
/// next `<`, so all names of a text together take one pass over it.
fn element_name(tag: &str) -> &str {
    let name = tag.strip_prefix('<').unwrap_or_default();
    let name = name.strip_prefix('/').unwrap_or(name);
    let end = name.find(|character: char| !character.is_ascii_alphanumeric());
    name.get(..end.unwrap_or(name.len())).unwrap_or_default()
}

/// Size of an element within a paragraph, in bytes; `None` for others.
fn inline_size(tag: &Tag<'_>) -> Option<usize> {
    match tag {
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough => Some(ELEMENT_BYTES),
        Tag::Link {
            dest_url, title, ..
        }
        | Tag::Image {
            dest_url, title, ..
        } => Some(ELEMENT_BYTES + dest_url.len() + title.len()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{render, unsafe_html};
    use super::*;

    #[test]
    fn name_of_a_tag_is_looked_for_behind_its_own_bracket_only() {
        for (tag, name) in [
            ("<title>", "title"),
            ("</title >", "title"),
            ("<h1/>", "h1"),
            ("<", ""),
            ("title", ""),
            ("<//title>", ""),
            ("<<title>", ""),
        ] {
            assert_eq!(element_name(tag), name, "{tag}");
        }
        let many = "<".repeat(50_000) + "title>";
        let starts = many.match_indices('<').map(|(at, _)| &many[at..]);
        assert_eq!(starts.filter(|tag| is_one_of(tag, &["title"])).count(), 1);
    }

    #[test]
    fn raw_html_that_could_add_many_elements_stays_text() {
        let written = "<b>bold</b> and *more*\n\n".repeat(90);
        assert!(render(&written).contains("<b>bold</b>"));
        let different: Vec<_> = (0..1_000)
            .map(|number| format!("<i lang=\"x{number}\">"))
            .collect();
        let different = different.concat();
        let names = "<b><big><code><em><font><i><s><small><strong><tt><u>".repeat(3);
        for text in [
            format!("<div><p>{different}{}", "<p>x".repeat(5_000)),
            format!("<div>{different}\n\n{}", "x\n\n".repeat(5_000)),
            format!("x {different}\n\n{}", "x\n\n".repeat(5_000)),
            format!("<div>{names}\n\n{}", "x\n\n".repeat(10_000)),
            format!("***a {}***", "</p>x".repeat(5_000)),
            format!(
                "{}{different}{}",
                "<i>".repeat(3_000),
                "</i>x".repeat(3_000)
            ),
            format!("{}<b>{}", "~~a ".repeat(2_000), "b~~ ".repeat(2_000)),
            format!(
                "<b title=\"{}\">{}",
                "<".repeat(2_000),
                "<p>x".repeat(6_000)
            ),
            format!(
                "[a {}](https://example.com/{})",
                "<p>x".repeat(5_000),
                "y".repeat(20_000)
            ),
        ] {
            let html = render(&text);
            assert!(html.len() < 10 * text.len(), "{}", html.len());
        }
    }

    #[test]
    fn work_of_the_sanitiser_is_bounded() {
        for form in [
            "<div>",
            "<p>",
            "<li>",
            "<b>",
            "<b><p>",
            "<a><p></a>",
            "<table>",
            "<table><tr><td>",
            "<select><option>",
            "<template>",
            "<svg>",
            "<math><mi>",
            "<marquee>",
            "<div></p></b>",
            "<!---->",
            "<?x?>",
            "</p>",
            "<br>",
            "<br-x>",
            "<x ",
        ] {
            for before in ["<div>", "x "] {
                let text = before.to_owned() + &form.repeat(50_000 / form.len());
                let html = unsafe_html(&text, None);
                assert!(html.matches('<').count() <= MAX_TAGS, "{before}{form}");
                let opened = html.match_indices('<').map(|(at, _)| &html[at..]);
                let opened = opened.filter(|tag| may_stay_open(tag)).count();
                assert!(opened <= MAX_STEPS / 1_000, "{before}{form}");
            }
        }
    }

    #[test]
    fn raw_html_in_a_text_of_too_many_tags_stays_text() {
        for (tag, block) in [("<table>", "#\n"), ("<table>", "x\n\n"), ("<div>", "x\n\n")] {
            let text = format!("{tag}\n\n{}", block.repeat(50_000 / block.len()));
            let html = unsafe_html(&text, None);
            assert!(!html.contains(tag), "{tag}");
            let short = format!("{tag}\n\n{}", block.repeat(1_000));
            assert!(unsafe_html(&short, None).contains(tag), "{tag}");
        }
        let nested = "<div>".repeat(203) + "\n\n" + &"x\n\n".repeat(4_800);
        assert!(unsafe_html(&nested, None).contains("<div>"));
        let nested = "<div>".repeat(204) + "\n\n" + &"x\n\n".repeat(4_800);
        assert!(!unsafe_html(&nested, None).contains("<div>"));
    }

    #[test]
    fn a_tag_with_too_many_attributes_stays_text() {
        for separator in [" ", "/", "\"", "'"] {
            let tag =
                |attributes: usize| format!("<div {}>", format!("ä{separator}").repeat(attributes));
            assert!(unsafe_html(&tag(10_000), None).contains("<div "));
            assert!(!unsafe_html(&tag(20_000), None).contains("<div "));
        }
    }

    #[test]
    fn raw_html_of_a_usual_text_is_kept() {
        let row = "<tr><td>10:00</td><td>The database stopped<br>and began again</td></tr>\n";
        let details = "<details><summary>More</summary>\n\nA *long* text\n\n</details>\n\n";
        let text = format!(
            "<table>\n{}</table>\n\n{}",
            row.repeat(50),
            details.repeat(50)
        );
        let html = render(&text);
        assert_eq!(html.matches("<td>").count(), 100);
        assert_eq!(html.matches("<details>").count(), 50);
    }
}
