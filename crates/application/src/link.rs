//! Links that mails carry.

use crate::secret::SecretToken;

/// Makes whole URLs of the installation's public one.
#[derive(Debug, Clone)]
pub struct Links {
    public_url: String,
}

impl Links {
    /// Links below this URL.
    #[must_use]
    pub fn new(public_url: &str) -> Self {
        Self { public_url: public_url.trim_end_matches('/').to_owned() }
    }

    /// Where to sign in.
    #[must_use]
    pub fn login(&self) -> String {
        format!("{}/login", self.public_url)
    }

    /// Where to accept an invitation.
    #[must_use]
    pub fn invitation(&self, token: &SecretToken) -> String {
        format!("{}/login?invitation={}", self.public_url, token.reveal())
    }

    /// Where to choose a new password.
    #[must_use]
    pub fn reset(&self, token: &SecretToken) -> String {
        format!("{}/login?reset={}", self.public_url, token.reveal())
    }
}
