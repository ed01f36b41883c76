//! Mail addresses: validation and equality.

use std::fmt;

use validator::{ValidateEmail, ValidationError};

use crate::text::one_line;

/// Maximum length of an address, in characters (RFC 5321, section 4.5.3.1.3, less the
/// angle brackets).
pub const MAX_EMAIL_LENGTH: usize = 254;

const REFUSAL: &str = "Invalid email address";

/// Rejects what [`known_email_address`] rejects, and a domain without a dot: mail to such an
/// address could not leave the machine.
///
/// # Errors
/// If the text is no such address.
pub fn email_address(text: &str) -> Result<(), ValidationError> {
    known_email_address(text)?;
    let mailbox = Mailbox::of(text);
    let domain = mailbox.as_str().rsplit_once('@').map(|(_, domain)| domain);
    if domain.is_some_and(|domain| domain.contains('.')) {
        Ok(())
    } else {
        Err(refusal())
    }
}

/// Rejects what the HTML standard's `<input type="email">` rejects, addresses to which no mail can
/// be sent, and addresses longer than [`MAX_EMAIL_LENGTH`]. The domain may be internationalised
/// (RFC 5890). For addresses that were accepted earlier, when a domain needed no dot.
///
/// # Errors
/// If the text is no such address; "Must be one line" if it is not [one line](one_line).
pub fn known_email_address(text: &str) -> Result<(), ValidationError> {
    one_line(text)?;
    let fits = text.chars().count() <= MAX_EMAIL_LENGTH
        && Mailbox::of(text).as_str().len() <= MAX_EMAIL_LENGTH;
    let parts = text.rsplit_once('@');
    if fits
        && parts.is_some_and(|(local, domain)| plain(local) && is_host_name(domain))
        && text.validate_email()
    {
        return Ok(());
    }
    Err(refusal())
}

fn refusal() -> ValidationError {
    ValidationError::new("email").with_message(REFUSAL.into())
}

/// The part before the `@` is ASCII: some other letters, such as the Kelvin sign, become ASCII
/// letters in lower case and would name another person's address. Dots stand only between other
/// characters (RFC 5322, section 3.2.3); mail servers reject others.
fn plain(local: &str) -> bool {
    local.is_ascii() && local.split('.').all(|word| !word.is_empty())
}

/// The domain is a name, not an address literal such as `[127.0.0.1]`, which would let strangers
/// make the server connect to machines of its own network.
fn is_host_name(domain: &str) -> bool {
    !domain.contains(['[', ']'])
}

/// An address in a form that is equal for all spellings of a mailbox: the domain in ASCII and lower
/// case (RFC 5890, section 2.3.2.1; UTS 46), the part before the `@` as entered, because only the
/// receiver may interpret it (RFC 5321, section 2.4). Mail can be sent to this form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mailbox(String);

impl Mailbox {
    /// The mailbox of an address.
    #[must_use]
    pub fn of(address: &str) -> Self {
        let address = address.trim();
        let Some((local, domain)) = address.rsplit_once('@') else {
            return Self(address.to_owned());
        };
        let domain = idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_lowercase());
        Self(format!("{local}@{domain}"))
    }

    /// The mailbox as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The form in which the addresses of accounts and subscribers are compared: lower case, the domain
/// in ASCII (see [`Mailbox`]). Mail goes to the address as entered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EmailKey(String);

impl EmailKey {
    /// The key of an address.
    #[must_use]
    pub fn of(address: &str) -> Self {
        Self(Mailbox::of(address).0.to_lowercase())
    }

    /// The key of the mailbox that the address usually reaches: `ann@example.com` for the
    /// sub-address `ann+list@example.com` (RFC 5233), and without dots at Gmail, which ignores
    /// them. Addresses of one mailbox share one mail budget.
    #[must_use]
    pub fn usual_mailbox(&self) -> Self {
        let Some((local, domain)) = self.0.rsplit_once('@') else {
            return self.clone();
        };
        let name = match local.split_once('+') {
            Some((name, _)) if !name.is_empty() => name,
            _ => local,
        };
        match domain {
            "gmail.com" | "googlemail.com" => Self(format!("{}@gmail.com", name.replace('.', ""))),
            _ => Self(format!("{name}@{domain}")),
        }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmailKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_is_what_a_browser_takes_for_one() {
        for good in [
            "a@b.cd",
            "ann.o'neil+status@example.com",
            "x@exämple.com",
            &format!("a@{}", "b.".repeat(125) + "cd"),
        ] {
            assert!(email_address(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ann",
            "ann@",
            "@b",
            "a b@c",
            "a@b\r\nBcc: c@d",
            "a@b\0",
            "\u{212A}ate@example.com",
            "a@b,c@d",
        ] {
            assert!(email_address(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_domain_needs_a_dot_unless_the_address_is_known() {
        for undotted in ["a@localhost", "a@b", "a@exämple"] {
            assert!(email_address(undotted).is_err(), "{undotted}");
            assert!(known_email_address(undotted).is_ok(), "{undotted}");
        }
        for bad in ["a@b.", "a@.b", "a@b..c"] {
            assert!(known_email_address(bad).is_err(), "{bad}");
        }
        // UTS 46 maps an ideographic full stop to a dot.
        assert!(email_address("a@例え\u{3002}jp").is_ok());
    }

    #[test]
    fn an_address_of_several_lines_is_refused_as_such() {
        let found = email_address("a@b.cd\r\nBcc: c@d.ef").unwrap_err();
        assert_eq!(found.message.as_deref(), Some("Must be one line"));
    }

    #[test]
    fn an_address_that_no_mail_can_go_to_is_refused() {
        let literals = [
            "a@[127.0.0.1]",
            "a@b[127.0.0.1]",
            "a@b\r\nBcc: c@d [127.0.0.1]",
        ];
        let dots = [".a@b.cd", "a.@b.cd", "a..b@c.de"];
        for bad in literals.into_iter().chain(dots) {
            assert!(email_address(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_mailbox_has_one_domain_however_it_is_spelt_and_the_local_part_as_typed() {
        let mailbox = "Ann@xn--exmple-cua.com";
        for spelling in [
            "Ann@exämple.com",
            "Ann@EXÄMPLE.com",
            "Ann@xn--EXMPLE-cua.com",
            " Ann@ex\u{61}\u{308}mple.com ",
        ] {
            assert_eq!(Mailbox::of(spelling).as_str(), mailbox, "{spelling}");
        }
        assert_eq!(
            Mailbox::of("a@\u{ff45}xample.com"),
            Mailbox::of("a@example.com")
        );
        assert_ne!(
            Mailbox::of("ann@example.com"),
            Mailbox::of("Ann@example.com")
        );
    }

    #[test]
    fn an_address_has_at_most_254_characters() {
        let of_length = |length: usize| {
            let (local, labels) = ("a".repeat(1 + length % 2), "b.".repeat((length - 4) / 2));
            format!("{local}@{labels}bc")
        };
        for (length, is_valid) in [(254, true), (255, false)] {
            let address = of_length(length);
            assert_eq!(address.len(), length);
            assert_eq!(email_address(&address).is_ok(), is_valid, "{length}");
        }
    }

    #[test]
    fn spellings_of_a_domain_have_one_key() {
        let key = EmailKey::of("ann@xn--exmple-cua.com");
        for spelling in [
            "Ann@exämple.com",
            "ANN@EXÄMPLE.com",
            " ann@xn--EXMPLE-cua.com",
        ] {
            assert_eq!(EmailKey::of(spelling), key, "{spelling}");
        }
    }

    #[test]
    fn addresses_of_one_mailbox_share_a_key() {
        let key = EmailKey::of("ann@example.com");
        for address in [
            "ann@example.com",
            "Ann+a@example.com",
            "ann+a+b@EXAMPLE.com",
            "ann+@example.com",
        ] {
            assert_eq!(EmailKey::of(address).usual_mailbox(), key, "{address}");
        }
        let dotted = EmailKey::of("a.n.n+a@googlemail.com").usual_mailbox();
        assert_eq!(dotted, EmailKey::of("ann@gmail.com"));
        let tag_only = EmailKey::of("+a@example.com");
        assert_eq!(tag_only.usual_mailbox(), tag_only);
    }

    /// A text, and one that becomes the same by the lower case of Unicode: K is U+212A, and ſ is s
    /// in upper case.
    fn look_alikes() -> impl Strategy<Value = (String, String)> {
        let letter = prop_oneof![
            Just(("K", "k")),
            Just(("k", "k")),
            Just(("\u{212A}", "k")),
            Just(("ſ", "s")),
            Just(("S", "s")),
            Just(("İ", "i")),
            Just(("I", "i")),
        ];
        prop::collection::vec(letter, 1..6)
            .prop_map(|letters: Vec<(&str, &str)>| letters.into_iter().unzip())
    }

    proptest! {
        #[test]
        fn a_mailbox_is_an_address_and_its_own_mailbox(address in "[a-z.]{1,9}@[a-zäöß.-]{1,9}") {
            if known_email_address(&address).is_ok() {
                let mailbox = Mailbox::of(&address);
                prop_assert!(mailbox.as_str().is_ascii());
                prop_assert!(known_email_address(mailbox.as_str()).is_ok());
                prop_assert_eq!(Mailbox::of(mailbox.as_str()), mailbox);
            }
        }

        #[test]
        fn addresses_that_differ_in_case_are_the_same(address in "[a-zA-Z]{1,9}@[a-zA-Z]{1,9}") {
            prop_assert_eq!(EmailKey::of(&address), EmailKey::of(&address.to_uppercase()));
        }

        #[test]
        fn no_two_accepted_local_parts_become_one_but_by_ascii_case((one, other) in look_alikes()) {
            let (a, b) = (format!("{one}@example.com"), format!("{other}@example.com"));
            if email_address(&a).is_ok() && EmailKey::of(&a) == EmailKey::of(&b) {
                prop_assert!(one.eq_ignore_ascii_case(&other));
            }
        }
    }
}
