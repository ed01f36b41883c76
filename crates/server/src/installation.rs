//! What the nodes of an installation share: its name and its secrets.

use allclear_application::clock::Clock;
use allclear_application::installation::{Secrets, SigningKey};
use allclear_application::secret::HmacKey;
use allclear_identity::secrets;
use allclear_persistence::database::Database;

use crate::output::with_causes;

/// Name and secrets of the installation. They are the same on every node of a database.
pub(crate) struct Installation {
    /// Distinguishes installations that share a Redis. It is derived from the secret, and does not
    /// reveal it.
    pub(crate) name: String,
    /// Signs links, cookies, and the messages between nodes.
    pub(crate) hmac_key: HmacKey,
    /// The keys that sign tokens, newest first.
    pub(crate) signing_keys: Vec<SigningKey>,
}

impl Installation {
    /// Reads the secrets. The first node of a new database creates them.
    ///
    /// # Errors
    /// One line with the reason.
    pub(crate) async fn load(database: &Database, clock: &dyn Clock) -> Result<Self, String> {
        let secrets = secrets::load(database, clock)
            .await
            .map_err(|error| with_causes(&error))?;
        Self::new(secrets)
    }

    fn new(secrets: Secrets) -> Result<Self, String> {
        let hmac_key = HmacKey::new(&secrets.salt).map_err(|error| with_causes(&error))?;
        let signature = hmac_key.sign("installation", &[]);
        let first_half = signature.iter().take(16);
        let name = first_half.fold(0, |name: u128, byte| (name << 8) | u128::from(*byte));
        Ok(Self {
            name: format!("{name:032x}"),
            hmac_key,
            signing_keys: secrets.signing_keys,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_with_the_same_secret_agree_on_the_name() {
        let secrets = Secrets {
            salt: "example salt".to_owned(),
            signing_keys: Vec::new(),
        };
        // A node of an earlier version must derive the same name, or the nodes do not receive each
        // other's messages.
        let installation = Installation::new(secrets).unwrap();
        assert_eq!(installation.name, "122b11a01ec43526ebeaf04496fc2559");
    }
}
