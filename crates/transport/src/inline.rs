//! The styles and scripts that a page of the build holds within itself, and the policy that allows them and no others.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// What stands in a page, as sources of a content security policy (CSP Level 3, section 2.3.1), each with a space before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Inline {
    scripts: String,
    styles: String,
}

impl Inline {
    /// Finds them in a page as the build made it. Elements with attributes are none: they hold data or name a file.
    pub(crate) fn of(page: &str) -> Self {
        Self { scripts: sources(page, "<script>", "</script>"), styles: sources(page, "<style>", "</style>") }
    }

    /// A policy, with them allowed beside what it allows of our own.
    pub(crate) fn allowed_by(&self, policy: &str) -> String {
        policy
            .replace("script-src 'self'", &format!("script-src 'self'{}", self.scripts))
            .replace("style-src 'self'", &format!("style-src 'self'{}", self.styles))
    }
}

fn sources(page: &str, begin: &str, end: &str) -> String {
    let pieces = page.split(begin).skip(1).filter_map(|rest| rest.split_once(end));
    pieces.fold(String::new(), |all, (piece, _)| all + " 'sha256-" + &STANDARD.encode(Sha256::digest(piece)) + "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_allowed_by_its_hash_and_nothing_else_is() {
        let page = "<style>a{}</style><script>alert('Hello, world.');</script><script>2</script>\
            <script type=\"application/json\">{}</script><script src=\"/a.js\"></script>";
        let found =
            Inline::of(page).allowed_by("default-src 'none'; script-src 'self' https://a.example; style-src 'self'");
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
        // The specification's own example.
        assert_eq!(hash("alert('Hello, world.');"), "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
        let (first, second, style) = (hash("alert('Hello, world.');"), hash("2"), hash("a{}"));
        assert_eq!(
            found,
            format!(
                "default-src 'none'; script-src 'self' 'sha256-{first}' 'sha256-{second}' https://a.example; \
                 style-src 'self' 'sha256-{style}'"
            )
        );
    }

    #[test]
    fn a_page_without_any_leaves_the_policy_as_it_is() {
        let policy = "script-src 'self'; style-src 'self'";
        assert_eq!(Inline::of("<p>Hello</p>").allowed_by(policy), policy);
    }
}
