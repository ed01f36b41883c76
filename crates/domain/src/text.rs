//! Rules for all entered texts. A character is a Unicode scalar value.

use std::borrow::Cow;

use url::Url;
use validator::ValidationError;

use crate::web_address;

/// The longest name or title, in characters.
pub const MAX_NAME_LENGTH: usize = 200;
/// The longest description or message, in characters.
pub const MAX_DESCRIPTION_LENGTH: usize = 10_000;
/// The longest link, in characters.
pub const MAX_LINK_LENGTH: usize = 2_000;

/// Trims white space and characters of no width at both ends, as texts are stored: a title of them
/// alone would look empty.
#[must_use]
pub fn trimmed(text: &str) -> String {
    let is_blank = |character: char| {
        character.is_whitespace()
            || matches!(character, '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}')
    };
    text.trim_matches(is_blank).to_owned()
}

/// Keeps the first `length` characters of a text and marks by `…` that the rest is missing. Returns
/// whether the text was longer.
pub fn shorten(text: &mut String, length: usize) -> bool {
    let Some((end, _)) = text.char_indices().nth(length) else {
        return false;
    };
    text.truncate(end);
    text.push('…');
    true
}

/// Makes one line of a text that nobody can be asked to correct, such as a name from an identity
/// provider: a space for the characters that [`one_line`] rejects, no two spaces in a row, at most
/// `length` characters, [trimmed].
#[must_use]
pub fn clean_line(text: &str, length: usize) -> String {
    let mut line = String::new();
    for character in trimmed(text).chars() {
        let character = if breaks_line(character) {
            ' '
        } else {
            character
        };
        if character != ' ' || !line.ends_with(' ') {
            line.push(character);
        }
    }
    let bounded: String = trimmed(&line).chars().take(length).collect();
    trimmed(&bounded)
}

/// Rejects NUL, which PostgreSQL cannot store.
///
/// # Errors
/// When the text holds U+0000.
pub fn no_nul(text: &str) -> Result<(), ValidationError> {
    if text.contains('\0') {
        Err(refusal("nul", "Must not contain a NUL character"))
    } else {
        Ok(())
    }
}

/// Rejects a text that is not one line: one with a control character (such as a line break, tab or
/// escape), a line or paragraph separator, or a character that embeds, overrides or isolates the
/// direction of writing (Unicode, UAX 9), which could disguise a text. The marks U+200E, U+200F and
/// U+061C are allowed: names need them. Expects a trimmed text.
///
/// # Errors
/// If the text holds such a character.
pub fn one_line(text: &str) -> Result<(), ValidationError> {
    if text.contains(breaks_line) {
        Err(refusal("line", "Must be one line"))
    } else {
        Ok(())
    }
}

fn breaks_line(character: char) -> bool {
    ends_line(character) || is_direction(character)
}

/// Whether a character is a control character, such as a line break, or a line or
/// paragraph separator.
#[must_use]
pub fn ends_line(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Whether a character embeds, overrides or isolates the direction of writing (UAX 9, section 2).
#[must_use]
pub const fn is_direction(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Rejects a name that is not one line of 2 to [`MAX_NAME_LENGTH`] characters.
///
/// # Errors
/// If the text is not such a name.
pub(crate) fn name(text: &str) -> Result<(), ValidationError> {
    required_line(text, 2, "Name is required")
}

/// Rejects a name that is not one line of 1 to [`MAX_NAME_LENGTH`] characters.
///
/// # Errors
/// If the text is not such a name.
pub(crate) fn short_name(text: &str) -> Result<(), ValidationError> {
    required_line(text, 1, "Name is required")
}

/// Rejects a title that is not one line of 1 to [`MAX_NAME_LENGTH`] characters.
///
/// # Errors
/// If the text is not such a title.
pub(crate) fn title(text: &str) -> Result<(), ValidationError> {
    required_line(text, 1, "Title is required")
}

/// Rejects a description that does not have 1 to [`MAX_DESCRIPTION_LENGTH`] characters, or has NUL.
///
/// # Errors
/// If the text is not such a description.
pub(crate) fn description(text: &str) -> Result<(), ValidationError> {
    required_prose(text, "Description is required")
}

/// Rejects a message that does not have 1 to [`MAX_DESCRIPTION_LENGTH`] characters, or has NUL.
///
/// # Errors
/// If the text is not such a message.
pub(crate) fn message(text: &str) -> Result<(), ValidationError> {
    required_prose(text, "Message is required")
}

fn required_line(
    text: &str,
    min_length: usize,
    message: &'static str,
) -> Result<(), ValidationError> {
    if text.chars().count() < min_length {
        return Err(refusal("length", message));
    }
    name_length(text)?;
    one_line(text)
}

fn required_prose(text: &str, message: &'static str) -> Result<(), ValidationError> {
    if text.is_empty() {
        return Err(refusal("length", message));
    }
    description_length(text)?;
    no_nul(text)
}

/// Rejects a name or title longer than [`MAX_NAME_LENGTH`].
///
/// # Errors
/// When the text is longer.
pub(crate) fn name_length(text: &str) -> Result<(), ValidationError> {
    at_most(text, MAX_NAME_LENGTH)
}

/// Rejects a description or message longer than [`MAX_DESCRIPTION_LENGTH`].
///
/// # Errors
/// When the text is longer.
pub(crate) fn description_length(text: &str) -> Result<(), ValidationError> {
    at_most(text, MAX_DESCRIPTION_LENGTH)
}

/// Refuses a text that is not an absolute http, https or mailto URL of at most
/// [`MAX_LINK_LENGTH`] characters. A web address has a host, and no user name or password.
///
/// # Errors
/// If the text is not such a URL.
pub fn link(text: &str) -> Result<(), ValidationError> {
    at_most(text, MAX_LINK_LENGTH)?;
    one_line(text)?;
    if is_mail_link(text) || web_address::parse(text).is_ok() {
        return Ok(());
    }
    Err(refusal("link", "Must be an http, https or mailto URL"))
}

/// Whether a text is a mailto URL with an address.
fn is_mail_link(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| url.scheme() == "mailto" && !url.path().is_empty())
        && !text.contains(['"', '<', '>'])
}

/// Rejects a text longer than `limit` characters.
///
/// # Errors
/// When the text is longer.
pub fn at_most(text: &str, limit: usize) -> Result<(), ValidationError> {
    if text.chars().count() > limit {
        return Err(refusal(
            "length",
            format!("Must be at most {limit} characters"),
        ));
    }
    Ok(())
}

fn refusal(code: &'static str, message: impl Into<Cow<'static, str>>) -> ValidationError {
    ValidationError::new(code).with_message(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shortened_text_has_a_mark() {
        for (text, short, was_longer) in [
            ("", "", false),
            ("äöü", "äöü", false),
            ("äöü!", "äöü…", true),
        ] {
            let mut shortened = text.to_owned();
            assert_eq!(shorten(&mut shortened, 3), was_longer);
            assert_eq!(shortened, short);
        }
    }

    #[test]
    fn cleaned_text_is_one_line_without_gaps() {
        for (text, line) in [
            (" Ann\0\n Lee ", "Ann Lee"),
            ("Ann\u{2028}\u{202E}Lee\u{2066}", "Ann Lee"),
            ("東京\u{3000}電力", "東京\u{3000}電力"),
            ("Ann Lee \n Ray", "Ann Lee"),
            (" \n\u{202A}", ""),
            ("\u{200B} \u{FEFF}", ""),
        ] {
            assert_eq!(clean_line(text, 8), line, "{text:?}");
        }
    }

    #[test]
    fn link_is_an_absolute_address() {
        for text in [
            "https://example.com",
            "HTTP://example.com/help?a=b#c",
            "mailto:help@example.com",
            "mailto:help@example.com?subject=Help me",
        ] {
            assert!(link(text).is_ok(), "{text}");
        }
        for text in [
            "https:example.com",
            "https:/example.com",
            "http:\\\\example.com",
            "https://",
            "https:///example.com",
            "https://ann:pass@example.com/",
            "https://example.com/\"><script>",
            "mailto:",
            "mailto:\"><script>@example.com",
            "mailto:?subject=Help",
            "/help",
            "example.com",
            "javascript:alert(1)",
        ] {
            assert!(link(text).is_err(), "{text}");
        }
    }

    #[test]
    fn text_without_anything_to_see_is_trimmed_to_nothing() {
        for text in [" \u{200B}\n", "\u{AD}", "\u{FEFF} \u{2060}"] {
            assert_eq!(trimmed(text), "", "{text:?}");
        }
        assert_eq!(trimmed("\u{FEFF}a\u{200B}b "), "a\u{200B}b");
    }

    proptest! {
        #[test]
        fn cleaned_text_is_one_line_and_stays(text in any::<String>(), length in 0_usize..40) {
            let line = clean_line(&text, length);
            prop_assert!(one_line(&line).is_ok() && line.chars().count() <= length);
            prop_assert_eq!(line.trim(), &line);
            prop_assert_eq!(clean_line(&line, length), line);
        }

        #[test]
        fn length_counts_characters_not_bytes(text in "\\PC{0,210}") {
            prop_assert_eq!(name_length(&text).is_ok(), text.chars().count() <= 200);
        }

        #[test]
        fn trimming_twice_is_trimming_once(text in "\\PC*") {
            prop_assert_eq!(trimmed(&trimmed(&text)), trimmed(&text));
        }

        #[test]
        fn printable_text_is_one_line(text in "[\\PC&&[^\u{2028}\u{2029}]]{0,40}") {
            prop_assert!(one_line(&text).is_ok());
        }

        #[test]
        fn one_refused_character_anywhere_is_refused(
            before in "\\PC{0,9}", after in "\\PC{0,9}",
            refused in "[\\x00-\\x1F\\x7F-\u{9F}\u{2028}\u{2029}\u{202A}-\u{202E}\u{2066}-\u{2069}]",
        ) {
            let found = one_line(&format!("{before}{refused}{after}")).unwrap_err();
            prop_assert_eq!(found.message.as_deref(), Some("Must be one line"));
        }
    }

    #[test]
    fn marks_and_joiners_that_names_need_are_one_line() {
        for name in [
            "שלום\u{200F}!",
            "می\u{200C}خواهم",
            "👩\u{200D}🔧 Ada",
            "a\u{200E}b",
            "b\u{61C}",
        ] {
            assert!(one_line(name).is_ok(), "{name:?}");
        }
    }

    #[test]
    fn nul_is_refused() {
        assert!(no_nul("a\0b").is_err());
        assert!(no_nul("plain").is_ok());
    }
}
