//! Hashes of the inline styles and scripts of a page, for its content security policy.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Inline styles and scripts of a built page as CSP hash sources (CSP Level 3, section 2.3.1), each
/// with a leading space. An injected script has another hash and does not run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InlineHashes {
    styles: String,
    scripts: String,
}

impl InlineHashes {
    /// Computes the hashes of the inline styles and scripts of a page.
    pub(crate) fn of(page: &str) -> Self {
        Self {
            styles: hashes(page, "<style>", "</style>"),
            scripts: hashes(page, "<script>", "</script>"),
        }
    }

    /// Adds the hashes to the `'self'` sources of a policy.
    pub(crate) fn allowed_by(&self, policy: &str) -> String {
        policy
            .replace(
                "style-src 'self'",
                &format!("style-src 'self'{}", self.styles),
            )
            .replace(
                "script-src 'self'",
                &format!("script-src 'self'{}", self.scripts),
            )
    }
}

/// The hashes of the contents between these tags.
fn hashes(page: &str, start: &str, end: &str) -> String {
    let found = page
        .split(start)
        .skip(1)
        .filter_map(|rest| rest.split_once(end));
    found.fold(String::new(), |all, (content, _)| {
        all + " 'sha256-" + &STANDARD.encode(Sha256::digest(content)) + "'"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_styles_and_scripts_are_allowed_by_their_hashes() {
        let page = "<style>alert('Hello, world.');</style><script>2</script><style>a{}</style>\
            <script type=\"application/json\">{}</script><script src=\"/a.js\"></script>";
        let found = InlineHashes::of(page).allowed_by(
            "default-src 'none'; style-src 'self'; script-src 'self' https://a.example",
        );
        // The example of the specification.
        let example = "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=";
        let other = STANDARD.encode(Sha256::digest("a{}"));
        let script = STANDARD.encode(Sha256::digest("2"));
        assert_eq!(
            found,
            format!(
                "default-src 'none'; style-src 'self' 'sha256-{example}' 'sha256-{other}'; \
                 script-src 'self' 'sha256-{script}' https://a.example"
            )
        );
    }

    #[test]
    fn page_without_inline_styles_keeps_the_policy() {
        let policy = "script-src 'self'; style-src 'self'";
        assert_eq!(InlineHashes::of("<p>Hello</p>").allowed_by(policy), policy);
    }
}
