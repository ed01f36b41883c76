//! Argon2id (RFC 9106), with the parameters of the OWASP Password Storage Cheat Sheet.

use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::password::{PasswordHash, PasswordHasher};
use allclear_domain::account::Password;
use allclear_domain::email::EmailKey;
use argon2::{Algorithm, Argon2, Params, Version};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory, in KiB.
const MEMORY: u32 = 19_456;
/// Passes over it.
const PASSES: u32 = 2;
/// Lanes.
const LANES: u32 = 1;
/// What a hash begins with: the function and its parameters, as PHC strings write them. The salt is not among them, since
/// it is derived anew each time.
const PREFIX: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// Hashes passwords off the threads that serve requests, so many at a time that a storm of sign-ins takes neither all
/// processors nor all memory.
pub struct Argon2idHasher {
    salt: String,
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Argon2idHasher {
    /// So many may wait for their turn; the next one is told to come back.
    pub const QUEUE: usize = 256;

    /// A hasher whose salts come from the installation's secret, that computes at most `at_once` hashes at a time. Each
    /// takes 19 MiB.
    #[must_use]
    pub fn new(salt: String, at_once: usize) -> Self {
        let running = Arc::new(Semaphore::new(at_once.max(1)));
        Self {
            salt,
            running,
            waiting: Arc::new(Semaphore::new(Self::QUEUE)),
        }
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        let place = self.waiting.try_acquire();
        let _place = place.map_err(|_| {
            Error::Unavailable("too many passwords are waiting to be hashed".into())
        })?;
        Arc::clone(&self.running)
            .acquire_owned()
            .await
            .map_err(Error::internal)
    }
}

#[async_trait]
impl PasswordHasher for Argon2idHasher {
    async fn hash(&self, address: &EmailKey, password: &Password) -> Result<PasswordHash, Error> {
        let salt = derive(&self.salt, address)?;
        let password = password.clone();
        let turn = self.turn().await?;
        let computing = tokio::task::spawn_blocking(move || {
            let hash = compute(&salt, &password);
            drop(turn);
            hash
        });
        let hash = computing.await.map_err(Error::internal)??;
        Ok(PasswordHash::new(format!(
            "{PREFIX}{}",
            URL_SAFE_NO_PAD.encode(hash)
        )))
    }
}

/// A salt of 256 bits that only this installation gives this address.
fn derive(secret: &str, address: &EmailKey) -> Result<[u8; 32], Error> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(Error::internal)?;
    mac.update(b"password salt\0");
    mac.update(address.as_str().as_bytes());
    Ok(mac.finalize().into_bytes().into())
}

fn compute(salt: &[u8], password: &Password) -> Result<[u8; 32], Error> {
    let params = Params::new(MEMORY, PASSES, LANES, Some(32))
        .map_err(|error| Error::internal(error.to_string()))?;
    let mut hash = [0; 32];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(password.as_bytes(), salt, &mut hash)
        .map_err(|error| Error::internal(error.to_string()))?;
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hasher(secret: &str) -> Argon2idHasher {
        Argon2idHasher::new(secret.into(), 1)
    }

    async fn hash(hasher: &Argon2idHasher, address: &str, password: &str) -> PasswordHash {
        hasher
            .hash(&EmailKey::of(address), &Password::new(password.into()))
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn a_hash_depends_on_installation_address_and_password_and_on_nothing_else() {
        let ours = hasher("ours");
        let found = hash(&ours, "ann@example.com", "correct horse").await;
        assert_eq!(found, hash(&ours, "Ann@Example.com", "correct horse").await);
        assert_ne!(found, hash(&ours, "ann@example.com", "Correct horse").await);
        assert_ne!(found, hash(&ours, "bob@example.com", "correct horse").await);
        assert_ne!(
            found,
            hash(&hasher("theirs"), "ann@example.com", "correct horse").await
        );
    }

    #[tokio::test]
    async fn a_hash_names_its_parameters() {
        let found = hash(&hasher("ours"), "ann@example.com", "correct horse").await;
        let parameters = format!("$argon2id$v=19$m={MEMORY},t={PASSES},p={LANES}$");
        assert_eq!(
            found.as_str().strip_prefix(&parameters).map(str::len),
            Some(43)
        );
    }

    #[tokio::test]
    async fn whom_the_queue_has_no_place_for_is_told_to_come_back() {
        let hasher = hasher("ours");
        let _all = hasher
            .waiting
            .try_acquire_many(u32::try_from(Argon2idHasher::QUEUE).unwrap())
            .unwrap();
        let refused = hasher
            .hash(
                &EmailKey::of("ann@example.com"),
                &Password::new("correct horse".into()),
            )
            .await;
        assert!(matches!(refused, Err(Error::Unavailable(_))));
    }
}
