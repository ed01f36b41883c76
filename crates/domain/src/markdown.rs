//! Markdown that people write, as HTML that is safe to show.

mod raw_html;

use ammonia::Builder;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use self::raw_html::{is_bounded, is_one_of};

/// How deeply quotes and lists may be nested, and emphasis within a paragraph. What is nested more
/// deeply is shown at this depth.
const MAX_DEPTH: usize = 16;
/// How many cells the tables of a text may have.
const MAX_CELLS: usize = 20_000;

/// Renders Markdown (`CommonMark` 0.31, with tables and struck-out text) as HTML. Raw HTML in the
/// text is removed or made harmless, and only http, https and mailto links stay links. Tables that
/// could have more than 20,000 cells stay text, and so does raw HTML that could add more than 4 MB
/// or take long to parse.
#[must_use]
pub fn render(markdown: &str) -> String {
    render_with(markdown, None)
}

/// Renders Markdown like [`render`] as a part of a page below a heading of `level`, from 1 to 6.
/// The highest headings of the text are of the next level, whichever the author began with, so that
/// no level is left out (WCAG 2.2, technique G141).
#[must_use]
pub fn render_below(level: usize, markdown: &str) -> String {
    render_with(markdown, Some(level))
}

/// The text of Markdown without its markup, a line for each block. A link is followed by its
/// address, unless its text is the address. Raw HTML is left out.
#[must_use]
pub fn plain(markdown: &str) -> String {
    let options = Options::ENABLE_STRIKETHROUGH;
    let mut text = String::new();
    // The number of the next item of each open list; `None` for lists without numbers.
    let mut lists = Vec::new();
    // Where the texts of the open links begin, with their addresses.
    let mut links = Vec::new();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak => text.push(' '),
            Event::HardBreak => text.push('\n'),
            Event::Start(Tag::List(first)) => {
                lists.push(first);
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
            }
            Event::End(TagEnd::List(_)) => {
                lists.pop();
            }
            Event::Start(Tag::Item) => {
                if let Some(Some(number)) = lists.last_mut() {
                    text.push_str(&number.to_string());
                    text.push_str(". ");
                    *number += 1;
                } else {
                    text.push_str("• ");
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => links.push((text.len(), dest_url)),
            Event::End(TagEnd::Link) => {
                if let Some((start, address)) = links.pop()
                    && text[start..] != *address
                {
                    text.push_str(" (");
                    text.push_str(&address);
                    text.push(')');
                }
            }
            Event::End(end) if !is_inline(end) && !text.is_empty() && !text.ends_with('\n') => {
                text.push('\n');
            }
            _ => {}
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Renders Markdown, below a heading of this level if one is given.
fn render_with(markdown: &str, below: Option<usize>) -> String {
    sanitised(&unsafe_html(markdown, below))
}

/// Markdown as HTML that can be anything the author wrote, but that is parsed in a bounded time.
fn unsafe_html(markdown: &str, below: Option<usize>) -> String {
    let mut options = Options::ENABLE_STRIKETHROUGH;
    options.set(Options::ENABLE_TABLES, most_cells(markdown) <= MAX_CELLS);
    let parse = || Parser::new_ext(markdown, options);
    let keeps_html = is_bounded(markdown, parse());
    let events = parse().map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) if !keeps_html => Event::Text(html),
        other => other,
    });
    let highest = highest_heading(parse());
    let events = limit_nesting(events);
    let events = with_levels(events, |level| {
        below.map_or(level, |below| level + below + 1 - highest)
    });
    let mut rendered = String::with_capacity(markdown.len() * 3 / 2);
    html::push_html(&mut rendered, join_html_blocks(events));
    rendered
}

/// The level of the highest heading; 1 if there is none.
fn highest_heading<'a>(events: impl Iterator<Item = Event<'a>>) -> usize {
    let levels = events.filter_map(|event| match event {
        Event::Start(Tag::Heading { level, .. }) => Some(level as usize),
        _ => None,
    });
    levels.min().unwrap_or(1)
}

/// Removes the quotes, lists and emphasis that are nested more than [`MAX_DEPTH`] deep, but not
/// what is in them: an HTML tree of any depth could overflow the stack of what walks it, and a parser
/// looks through all open elements again and again. Also removes inline tags that would make the
/// rest of the text their content.
fn limit_nesting<'a>(events: impl Iterator<Item = Event<'a>>) -> impl Iterator<Item = Event<'a>> {
    let (mut blocks, mut emphasis) = (0, 0);
    events.filter(move |event| match event {
        Event::Start(tag) if nests(tag) => begin(&mut blocks),
        Event::Start(tag) if is_emphasis(tag) => begin(&mut emphasis),
        Event::End(tag) if ends_nesting(*tag) => end(&mut blocks),
        Event::End(tag) if ends_emphasis(*tag) => end(&mut emphasis),
        Event::InlineHtml(tag) => !is_raw_text(tag),
        _ => true,
    })
}

/// Counts an element that begins. Returns whether it is kept.
const fn begin(depth: &mut usize) -> bool {
    *depth += 1;
    *depth <= MAX_DEPTH
}

/// Counts an element that ends. Returns whether it was kept.
const fn end(depth: &mut usize) -> bool {
    let kept = *depth <= MAX_DEPTH;
    *depth -= 1;
    kept
}

/// Changes the levels of headings. Those beyond 6 become 6.
fn with_levels<'a>(
    events: impl Iterator<Item = Event<'a>>,
    change: impl Fn(usize) -> usize,
) -> impl Iterator<Item = Event<'a>> {
    let changed = move |level: HeadingLevel| {
        HeadingLevel::try_from(change(level as usize).min(6)).unwrap_or(HeadingLevel::H6)
    };
    events.map(move |event| match event {
        Event::Start(Tag::Heading {
            level,
            id,
            classes,
            attrs,
        }) => Event::Start(Tag::Heading {
            level: changed(level),
            id,
            classes,
            attrs,
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(changed(level))),
        other => other,
    })
}

/// Joins the lines of each block of raw HTML, and makes a block harmless that would make the rest
/// of the text its content.
fn join_html_blocks<'a>(
    events: impl Iterator<Item = Event<'a>>,
) -> impl Iterator<Item = Event<'a>> {
    let mut block = String::new();
    events.filter_map(move |event| match event {
        Event::Html(html) => {
            block.push_str(&html);
            None
        }
        Event::End(TagEnd::HtmlBlock) => {
            let html = std::mem::take(&mut block);
            let has_raw_text = html
                .match_indices('<')
                .any(|(at, _)| is_raw_text(&html[at..]));
            let html = if has_raw_text { sanitised(&html) } else { html };
            Some(Event::Html(html.into()))
        }
        other => Some(other),
    })
}

/// How many cells the tables of a text have at most. A row is filled up to the width of its table's
/// first line, so a short text can have millions. A blank line ends a table.
fn most_cells(markdown: &str) -> usize {
    let lines: Vec<&str> = markdown.lines().flat_map(|line| line.split('\r')).collect();
    let is_blank = |line: &&str| line.trim_matches([' ', '\t']).is_empty();
    let cells = |block: &[&str]| {
        let widths = block.iter().map(|line| line.matches('|').count() + 1);
        widths.max().unwrap_or_default() * block.len()
    };
    lines.split(is_blank).map(cells).sum()
}

/// HTML without what could act, load something or change the page around it.
fn sanitised(html: &str) -> String {
    Builder::default()
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(ammonia::UrlRelative::Deny)
        .rm_tags(["img"])
        .link_rel(Some("noopener noreferrer nofollow"))
        .clean(html)
        .to_string()
}

/// Whether a tag begins or ends an element whose content is text without markup (HTML Standard,
/// sections 13.1.2 and 13.2.6).
fn is_raw_text(tag: &str) -> bool {
    let raw = [
        "iframe",
        "noembed",
        "noframes",
        "noscript",
        "plaintext",
        "script",
        "style",
        "textarea",
        "title",
        "xmp",
    ];
    is_one_of(tag, &raw)
}

const fn nests(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::BlockQuote(_) | Tag::List(_) | Tag::Item)
}

const fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

const fn is_emphasis(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
}

const fn ends_emphasis(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough
    )
}

const fn ends_nesting(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markdown_becomes_html() {
        let html = render(
            "# What happened\n\nA *bad* deploy:\n\n- **one**\n- [two](https://acme.example)\n",
        );
        for part in [
            "<h1>What happened</h1>",
            "<em>bad</em>",
            "<li><strong>one</strong></li>",
            "<a href=\"https://acme.example\" rel=\"noopener noreferrer nofollow\">two</a>",
        ] {
            assert!(html.contains(part), "{html}");
        }
    }

    #[test]
    fn plain_text_keeps_numbers_and_begins_with_text() {
        let text = plain("<p></p>\n\n3. one\n4. two\n   - more\n5. three");
        assert_eq!(text, "3. one\n4. two\n• more\n5. three");
    }

    #[test]
    fn plain_text_has_no_markup() {
        let text = plain(
            "# What *happened*\n\nA **bad**\ndeploy, see [the log](https://acme.example/a_b) and <https://acme.example>.\n\n- `one`\n- two\n  - three\n\n> <b>Quote</b>\n",
        );
        assert_eq!(
            text,
            "What happened\nA bad deploy, see the log (https://acme.example/a_b) and https://acme.example.\n• one\n• two\n• three\nQuote"
        );
    }

    #[test]
    fn headings_are_below_those_of_the_page() {
        let html = render_below(2, "# One\n## Two\n###### Six\n");
        assert_eq!(html, "<h3>One</h3>\n<h4>Two</h4>\n<h6>Six</h6>\n");
        let html = render_below(2, "## Two\n### Three\n");
        assert_eq!(html, "<h3>Two</h3>\n<h4>Three</h4>\n");
        // A heading only because the table ends the quote.
        let html = render_below(2, "###### Six\n\n> a|b\n> -|-\nfoo\n===\n");
        assert!(html.contains("<h3>foo</h3>"), "{html}");
    }

    #[test]
    fn dangerous_markup_is_made_harmless() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](java\nscript:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "<a href=\"JaVaScRiPt:alert(1)\">x</a>",
            "<svg onload=alert(1)>",
            "<iframe src=https://evil.example></iframe>",
            "<style>body{display:none}</style>",
            "<form action=https://evil.example><input></form>",
            "<p onclick=alert(1) style=position:fixed>x</p>",
            "![x](https://evil.example/pixel.png)",
        ] {
            let html = render(text).to_ascii_lowercase();
            for part in [
                "<script",
                "onerror",
                "onclick",
                "onload",
                "javascript:",
                "data:",
                "<iframe",
                "<style",
                "style=",
                "<form",
                "<img",
                "<svg",
            ] {
                assert!(!html.contains(part), "{text}: {html}");
            }
        }
    }

    #[test]
    fn a_tag_of_raw_text_does_not_take_the_rest_of_the_text() {
        for tag in [
            "script",
            "STYLE",
            "title",
            "textarea",
            "iframe",
            "xmp",
            "noscript",
            "plaintext",
        ] {
            assert_eq!(
                render(&format!("the <{tag} x> **tag**\n\nand more")),
                "<p>the  <strong>tag</strong></p>\n<p>and more</p>\n"
            );
        }
        for tag in ["title", "iframe", "xmp", "noscript"] {
            let html = render(&format!("<{tag}>\n\nand **more**"));
            assert!(
                html.ends_with("<p>and <strong>more</strong></p>\n"),
                "{html}"
            );
        }
    }

    #[test]
    fn tables_of_many_cells_stay_text() {
        let table = |columns: usize, rows: usize| {
            let line = |cell: &str| cell.repeat(columns) + "\n";
            line("a|") + &line("-|") + &"a\n".repeat(rows)
        };
        assert!(render(&table(10, 1_000)).contains("<table>"));
        let log = "a|".repeat(99) + "\n\n";
        let beside = log + &"line\n\n".repeat(1_000) + &table(2, 2);
        assert!(render(&beside).contains("<table>"));
        let wide = (table(362, 723) + "\n").repeat(17);
        let html = render(&wide);
        assert!(!html.contains("<table>"));
        assert!(html.len() < 2 * wide.len());
    }

    #[test]
    fn deeply_nested_text_is_rendered() {
        for text in [
            ">".repeat(50_000) + " x",
            "- ".repeat(25_000) + "x",
            "*".repeat(50_000),
            "*a **b ".repeat(5_000) + &"c** d* ".repeat(5_000),
            "~~a ".repeat(6_000) + &"b~~ ".repeat(6_000),
            "[".repeat(50_000),
            "<div>".repeat(10_000),
            "<div>".to_owned() + &"<".repeat(50_000),
            "<b>".repeat(16_000),
            (0..300)
                .map(|depth| " ".repeat(depth * 2) + "- x\n")
                .collect(),
        ] {
            assert!(render(&text).len() < 10 * text.len() + 1_000);
        }
    }

    #[test]
    fn emphasis_is_nested_sixteen_deep_at_most() {
        let nested = "*a **b ".repeat(20) + &"c** d* ".repeat(20);
        let html = render(&nested);
        let opened = html.matches("<em>").count() + html.matches("<strong>").count();
        assert_eq!(opened, MAX_DEPTH, "{html}");
    }

    proptest! {
        #[test]
        fn rendered_text_stays_as_it_is_when_sanitised_again(text in "[<>a-z\\[\\]()*_#!:/\"'= \n-]{0,200}") {
            let html = render(&text);
            prop_assert_eq!(sanitised(&html), html);
        }
    }
}
