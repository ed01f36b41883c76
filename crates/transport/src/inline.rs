//! The styles that a page of the build holds within itself, and the policy that allows them and no others.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The styles that stand in a page, as sources of a content security policy (CSP Level 3, section 2.3.1), each with a space
/// before it. Scripts never stand in a page: what somebody smuggles into one does not run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InlineStyles(String);

impl InlineStyles {
    /// Finds them in a page as the build made it.
    pub(crate) fn of(page: &str) -> Self {
        let styles = page
            .split("<style>")
            .skip(1)
            .filter_map(|rest| rest.split_once("</style>"));
        Self(styles.fold(String::new(), |all, (style, _)| {
            all + " 'sha256-" + &STANDARD.encode(Sha256::digest(style)) + "'"
        }))
    }

    /// A policy, with them allowed beside what it allows of our own.
    pub(crate) fn allowed_by(&self, policy: &str) -> String {
        policy.replace("style-src 'self'", &format!("style-src 'self'{}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_style_is_allowed_by_its_hash_and_no_script_is() {
        let page = "<style>alert('Hello, world.');</style><script>2</script><style>a{}</style>\
            <script type=\"application/json\">{}</script><script src=\"/a.js\"></script>";
        let found = InlineStyles::of(page).allowed_by(
            "default-src 'none'; style-src 'self'; script-src 'self' https://a.example",
        );
        // The specification's own example.
        let example = "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=";
        let other = STANDARD.encode(Sha256::digest("a{}"));
        assert_eq!(
            found,
            format!(
                "default-src 'none'; style-src 'self' 'sha256-{example}' 'sha256-{other}'; \
                 script-src 'self' https://a.example"
            )
        );
    }

    #[test]
    fn a_page_without_any_leaves_the_policy_as_it_is() {
        let policy = "script-src 'self'; style-src 'self'";
        assert_eq!(InlineStyles::of("<p>Hello</p>").allowed_by(policy), policy);
    }
}
