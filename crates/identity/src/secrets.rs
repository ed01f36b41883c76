//! The installation's secrets: made on its first start, the same on every node after.

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::installation::{InstallationStore, Secrets, SigningKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::signing::key_id;

/// The secrets that are stored, or fresh ones that are stored from now on.
///
/// # Errors
/// Whatever the store errors with.
pub async fn load(store: &dyn InstallationStore, clock: &dyn Clock) -> Result<Secrets, Error> {
    let private = random();
    let id = key_id(&private)?;
    let signing_keys = vec![SigningKey {
        id,
        private,
        created_at: clock.now(),
    }];
    store
        .secrets(Secrets {
            salt: random(),
            signing_keys,
        })
        .await
}

/// 256 bits from the operating system's seeded generator, base64url.
fn random() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}
