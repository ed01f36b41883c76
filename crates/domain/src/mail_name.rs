//! Names of people and organisations in mails. A stranger can choose both the name and the
//! recipient, so a name must not carry a message: it is short, one line, and contains no
//! web address.

use crate::text::{clean_line, is_direction};

/// Maximum length of a name in a mail, in characters.
pub const MAX_MAIL_NAME_LENGTH: usize = 80;

/// Returns the name cut to [`MAX_MAIL_NAME_LENGTH`] characters, without control and formatting
/// characters and without words that look like a web address. `None` if nothing is left.
#[must_use]
pub fn mail_name(name: &str) -> Option<String> {
    // Removed and not replaced by a space: an invisible character in an address must not hide
    // the address.
    let visible: String = name
        .chars()
        .filter(|letter| !is_invisible(*letter))
        .collect();
    let short = clean_line(&visible, MAX_MAIL_NAME_LENGTH);
    let words: Vec<&str> = short
        .split_whitespace()
        .filter(|word| !reads_as_address(word))
        .collect();
    let shown = words.join(" ");
    (!shown.is_empty()).then_some(shown)
}

/// Whether a character is invisible and could hide an address from this rule: a direction, a
/// zero-width space, a soft hyphen, a tag. Joiners stay, because names in many languages need them.
const fn is_invisible(letter: char) -> bool {
    is_direction(letter)
        || matches!(
            letter,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Whether mail programs may turn the word into a link: it has a scheme, begins with `www.`, or
/// contains a domain.
fn reads_as_address(word: &str) -> bool {
    let word = word.to_lowercase();
    word.contains("://") || word.contains("www.") || holds_domain(&word)
}

/// Whether the word contains two labels joined by a dot, of which the last could be a top-level
/// domain, or an IPv4 address.
fn holds_domain(word: &str) -> bool {
    let labels: Vec<&str> = word.split(is_dot).collect();
    let domain = labels.windows(2).any(|pair| {
        let [before, after] = pair else { return false };
        before.chars().next_back().is_some_and(in_label) && is_top_level(after)
    });
    let numbers = labels
        .iter()
        .filter(|label| label.chars().any(|letter| letter.is_ascii_digit()));
    domain || labels.len() >= 4 && numbers.count() >= 4
}

/// Whether the label begins with two letters, or with a letter and a character that may follow it
/// in an encoded domain.
fn is_top_level(label: &str) -> bool {
    let mut letters = label.chars();
    let first = letters.next().is_some_and(char::is_alphabetic);
    first && letters.next().is_some_and(in_label)
}

fn in_label(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '\u{200c}' | '\u{200d}')
}

/// The dot, the characters that UTS 46, section 2.3, maps to it, and those that look like it.
const fn is_dot(letter: char) -> bool {
    matches!(
        letter,
        '.' | '\u{2024}' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_usual_name_stays() {
        for name in [
            "Acme",
            "Ann O'Neil-Smith",
            "St. Mary's",
            "J. R. R. Tolkien",
            "Acme Inc.",
            "Version 2.0",
            "Müller & Söhne",
            "東京電力",
            "👩\u{200d}💻 Team",
        ] {
            assert_eq!(mail_name(name).as_deref(), Some(name));
        }
    }

    #[test]
    fn addresses_of_the_web_are_removed() {
        for (name, shown) in [
            (
                "Win now at http://evil.example/x today",
                Some("Win now at today"),
            ),
            ("www.evil.example", None),
            ("Prize: evil.example", Some("Prize:")),
            ("(EVIL.EXAMPLE)", None),
            ("ann@evil.example", None),
            ("evil。example", None),
            ("ev\u{200b}il.exam\u{ad}ple", None),
            ("evil.\u{202e}example", None),
            ("xn--evl-sma.xn--p1ai pays", Some("pays")),
            ("192.0.2.1/pay", None),
            ("ftp://[2001:db8::1]", None),
        ] {
            assert_eq!(mail_name(name).as_deref(), shown, "{name}");
        }
    }

    #[test]
    fn a_name_is_one_line_of_80_characters() {
        assert_eq!(
            mail_name("Acme\r\nBcc: eve").as_deref(),
            Some("Acme Bcc: eve")
        );
        assert_eq!(mail_name(&"ä".repeat(200)), Some("ä".repeat(80)));
        assert_eq!(mail_name(" \u{202e}\n"), None);
    }

    proptest! {
        #[test]
        fn whatever_the_name_it_is_short_and_holds_no_address(
            name in "(\\PC|[a-z.]|[\\n\\t /:.@]|www|http|\u{202e}|\u{3002}){0,120}"
        ) {
            if let Some(shown) = mail_name(&name) {
                prop_assert!(shown.chars().count() <= MAX_MAIL_NAME_LENGTH);
                prop_assert!(!shown.chars().any(char::is_control));
                prop_assert!(!shown.contains("://"));
                prop_assert!(!shown.split_whitespace().any(reads_as_address));
                prop_assert_eq!(mail_name(&shown), Some(shown.clone()));
            }
        }

        #[test]
        fn a_domain_is_found_among_any_words(
            before in "[a-z ]{0,20}", domain in "[a-z0-9]{1,9}\\.[a-z]{2,6}", after in "[ ,)/][a-z ]{0,20}"
        ) {
            let name = format!("{before} {domain}{after}");
            prop_assert!(!mail_name(&name).unwrap_or_default().contains(&domain));
        }
    }
}
