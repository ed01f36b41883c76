//! Web addresses in texts of people. They become links wherever the text is shown.

use std::fmt::Write;
use std::sync::LazyLock;

use regex::Regex;

/// A web address, without the punctuation that follows it. The script of the page has the same
/// pattern: `page-parts.tsx`.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)https?://(?:[^\s()<>"]|\([^\s()<>"]*\))*(?:[^\s()<>"'.,:;!?\]}]|\([^\s()<>"]*\))"#,
    )
    .ok()
});

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPart<'a> {
    /// Text without an address.
    Text(&'a str),
    /// An http or https address.
    Address(&'a str),
}

/// The parts of a text, in order. No part is empty.
#[must_use]
pub fn parts(text: &str) -> Vec<TextPart<'_>> {
    let mut parts = Vec::new();
    let mut end = 0;
    let addresses = ADDRESS.iter().flat_map(|address| address.find_iter(text));
    for address in addresses {
        if end < address.start() {
            parts.push(TextPart::Text(&text[end..address.start()]));
        }
        parts.push(TextPart::Address(address.as_str()));
        end = address.end();
    }
    if end < text.len() {
        parts.push(TextPart::Text(&text[end..]));
    }
    parts
}

/// A text as HTML, in an element or in an attribute between double quotes: escaped, with its
/// addresses as links. Line breaks stay characters.
#[must_use]
pub fn to_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            TextPart::Text(text) => html.push_str(&escape_html(text)),
            TextPart::Address(address) => {
                let address = escape_html(address);
                // Writing to a String cannot fail.
                let _ = write!(
                    html,
                    "<a href=\"{address}\" rel=\"nofollow noopener\">{address}</a>"
                );
            }
        }
    }
    html
}

fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn web_addresses_become_links_and_nothing_else() {
        let text = "See https://status.example/a?b=1&c=2, http://x.example. (HTTPS://x.example/A_(b)#c) \
            Not javascript://alert(1), ftp://x.example or <b>a@example.com</b>";
        assert_eq!(
            to_html(text),
            "See <a href=\"https://status.example/a?b=1&amp;c=2\" rel=\"nofollow noopener\">https://status.example/a?b=1&amp;c=2</a>, \
             <a href=\"http://x.example\" rel=\"nofollow noopener\">http://x.example</a>. \
             (<a href=\"HTTPS://x.example/A_(b)#c\" rel=\"nofollow noopener\">HTTPS://x.example/A_(b)#c</a>) \
             Not javascript://alert(1), ftp://x.example or &lt;b&gt;a@example.com&lt;/b&gt;"
        );
    }

    #[test]
    fn characters_that_no_address_contains_end_it() {
        for (text, expected) in [
            (
                r#"<a href="https://a.example/x">here</a>"#,
                &["https://a.example/x"][..],
            ),
            (
                r#""https://b.example","https://c.example""#,
                &["https://b.example", "https://c.example"],
            ),
            ("<b>https://d.example</b>", &["https://d.example"]),
            ("https://e.example/(<b>)", &["https://e.example/"]),
        ] {
            let addresses = parts(text).into_iter().filter_map(|part| match part {
                TextPart::Address(address) => Some(address),
                TextPart::Text(_) => None,
            });
            assert_eq!(addresses.collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn quote_ends_no_attribute() {
        let link = to_html("https://x.example/\"onmouseover=alert(1)");
        assert!(!link.contains("\"onmouseover"), "{link}");
    }

    proptest! {
        #[test]
        fn parts_are_the_whole_text(text in "(\\PC|https://|[a-z.() \\n]){0,60}") {
            let joined: String = parts(&text)
                .into_iter()
                .map(|part| match part {
                    TextPart::Text(text) | TextPart::Address(text) => text,
                })
                .collect();
            prop_assert_eq!(joined, text);
        }
    }
}
