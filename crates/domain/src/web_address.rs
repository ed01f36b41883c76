//! Web addresses that people enter, alone or in a text. Those in a text become links wherever it is
//! shown.

use std::fmt::Write;
use std::sync::LazyLock;

use regex::Regex;
use url::Url;

/// Why a text is not accepted as a web address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressFault {
    /// It is not an absolute http or https URL with a host.
    NotAbsolute,
    /// It has a user name or a password.
    HasCredentials,
}

/// Reads a web address: an absolute http or https URL with a host, and without a user name or
/// password.
///
/// # Errors
/// If the text is anything else, also if a browser could make a web address of it.
pub(crate) fn parse(text: &str) -> Result<Url, AddressFault> {
    // The URL Standard removes or encodes such characters; a person who typed them meant another
    // URL.
    let is_foreign = |character: char| {
        character.is_control()
            || character.is_whitespace()
            || matches!(character, '"' | '<' | '>' | '\\')
    };
    if text.contains(is_foreign) {
        return Err(AddressFault::NotAbsolute);
    }
    let url = Url::parse(text).map_err(|_| AddressFault::NotAbsolute)?;
    // Within a page, a browser reads `https:example.com` as a relative address, and the URL
    // Standard makes a host of the path of `https:///example.com`.
    let rest = text.get(url.scheme().len()..).unwrap_or_default();
    let has_host = rest
        .strip_prefix("://")
        .is_some_and(|rest| !rest.starts_with('/'));
    if !matches!(url.scheme(), "http" | "https") || !has_host {
        return Err(AddressFault::NotAbsolute);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressFault::HasCredentials);
    }
    Ok(url)
}

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
    fn only_an_absolute_url_with_a_host_is_a_web_address() {
        for text in [
            "https://example.com",
            "HTTP://EXAMPLE.com:8080/help?a=b#c",
            "https://[::1]/x",
            "https://example.com/a@b",
            "https://exämple.com/ä",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "https:example.com",
            "https:/example.com",
            "https:///example.com",
            "https:////example.com",
            "https://\\example.com",
            "https:\\\\example.com",
            "https://",
            "https://?x",
            "https://x/\"><script>",
            "https://x/<b",
            "https://x/a b",
            "https://x\n.example",
            " https://x",
            "ftp://example.com",
            "javascript://example.com/%0Aalert(1)",
            "mailto:help@example.com",
            "//example.com",
            "example.com",
        ] {
            assert_eq!(parse(text), Err(AddressFault::NotAbsolute), "{text:?}");
        }
        for text in ["https://u@x.example", "https://u:p@h/", "http://:p@h/"] {
            assert_eq!(parse(text), Err(AddressFault::HasCredentials), "{text}");
        }
    }

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
