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
    let signing_keys = vec![signing_key(clock)?];
    store
        .secrets(Secrets {
            salt: random(),
            signing_keys,
        })
        .await
}

/// Signs with a fresh key from now on, on every node. Returns the key's name.
///
/// # Errors
/// Whatever the store errors with.
pub async fn rotate(store: &dyn InstallationStore, clock: &dyn Clock) -> Result<String, Error> {
    let fresh = signing_key(clock)?;
    let id = fresh.id.clone();
    store.replace_signing_key(fresh).await?;
    Ok(id)
}

fn signing_key(clock: &dyn Clock) -> Result<SigningKey, Error> {
    let private = random();
    Ok(SigningKey {
        id: key_id(&private)?,
        private,
        created_at: clock.now(),
    })
}

/// 256 bits from the operating system's seeded generator, base64url.
fn random() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}
