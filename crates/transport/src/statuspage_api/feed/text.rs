//! Text in feeds.

use allclear_domain::{markdown, web_address};

/// Whether XML 1.0 allows a character (section 2.2). The rest are controls and two noncharacters.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// A text as part of XML, in an element or in an attribute between double quotes. Characters that
/// XML forbids are left out.
pub(in super::super) fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars().filter(|character| is_allowed(*character)) {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            other => escaped.push(other),
        }
    }
    escaped
}

/// What an operator wrote as a part of HTML. Line breaks stay, and web addresses become links.
pub(super) fn text_html(text: &str) -> String {
    let text: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter(|character| is_allowed(*character))
        .collect();
    web_address::to_html(&text).replace(['\n', '\r'], "<br />")
}

/// A review as HTML, below the heading of an item and one more.
pub(super) fn review_html(markdown: &str) -> String {
    let html = markdown::render_below(2, markdown);
    html.chars()
        .filter(|character| is_allowed(*character))
        .collect()
}

/// The text without characters that neither XML nor iCalendar allows.
pub(super) fn without_controls(text: &str) -> String {
    let is_plain =
        |character: &char| is_allowed(*character) && !matches!(character, '\r' | '\u{7f}');
    text.chars().filter(is_plain).collect()
}

/// The host of an absolute URL, without a port.
pub(super) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or(rest);
    match authority.split_once(']') {
        Some((address, _)) => address.trim_start_matches('['),
        None => authority.split(':').next().unwrap_or(authority),
    }
}

/// The path of an absolute URL; empty if it has none.
pub(super) fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("", |start| &rest[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_characters_are_left_out_and_the_rest_is_kept() {
        assert_eq!(
            escape_xml("a\0b\u{b}\u{1f}\u{fffe}\u{ffff}<&>\"']]>\t\n"),
            "ab&lt;&amp;&gt;&quot;']]&gt;\t\n"
        );
        let kept = "é 🚑 \u{202e}שלום";
        assert_eq!(escape_xml(kept), kept);
        assert_eq!(
            text_html("1\0\r\n2\r3\n\n<b>"),
            "1<br />2<br />3<br /><br />&lt;b&gt;"
        );
        assert_eq!(without_controls("a\r\n\u{7f}b\0"), "a\nb");
    }

    #[test]
    fn host_has_no_port_and_path_no_host() {
        let rows = [
            ("https://status.example.com", "status.example.com", ""),
            (
                "http://localhost:3000/status/org_1",
                "localhost",
                "/status/org_1",
            ),
            ("http://[::1]:3000/status/org_1", "::1", "/status/org_1"),
        ];
        for (url, expected_host, expected_path) in rows {
            assert_eq!(
                (host(url), path(url)),
                (expected_host, expected_path),
                "{url}"
            );
        }
    }
}
