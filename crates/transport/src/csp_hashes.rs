//! The styles and scripts that a page of the build holds within itself, and the policy that allows them and no others.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The styles and scripts that stand in a page of the build, as sources of a content security policy (CSP Level 3, section
/// 2.3.1), each with a space before it. A script that somebody smuggles into the served page has another hash: it does not
/// run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InlineStyles {
    styles: String,
    scripts: String,
}

impl InlineStyles {
    /// Finds them in a page as the build made it.
    pub(crate) fn of(page: &str) -> Self {
        Self {
            styles: hashes(page, "<style>", "</style>"),
            scripts: hashes(page, "<script>", "</script>"),
        }
    }

    /// A policy, with them allowed beside what it allows of our own.
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

/// The hashes of what stands between these tags.
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
    fn each_style_and_script_of_the_build_is_allowed_by_its_hash() {
        let page = "<style>alert('Hello, world.');</style><script>2</script><style>a{}</style>\
            <script type=\"application/json\">{}</script><script src=\"/a.js\"></script>";
        let found = InlineStyles::of(page).allowed_by(
            "default-src 'none'; style-src 'self'; script-src 'self' https://a.example",
        );
        // The specification's own example.
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
    fn a_page_without_any_leaves_the_policy_as_it_is() {
        let policy = "script-src 'self'; style-src 'self'";
        assert_eq!(InlineStyles::of("<p>Hello</p>").allowed_by(policy), policy);
    }
}
