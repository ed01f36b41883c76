//! The installation's secrets: created at its first start and shared by all nodes.

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::installation::{InstallationStore, Secrets, SigningKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::built_in::signing::key_id;

/// Returns the stored secrets; creates and stores them if there are none.
///
/// # Errors
/// The store's error.
pub async fn load(store: &dyn InstallationStore, clock: &dyn Clock) -> Result<Secrets, Error> {
    let signing_keys = vec![signing_key(clock)?];
    store
        .secrets(Secrets {
            salt: random(),
            signing_keys,
        })
        .await
}

/// Replaces the signing key on every node. Returns the new key's name.
///
/// # Errors
/// The store's error.
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

/// Generates 256 random bits, base64url.
fn random() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}
