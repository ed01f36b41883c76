//! Argon2id (RFC 9106), with the parameters of the OWASP Password Storage Cheat Sheet.

use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_application::password::{PasswordHash, PasswordHasher, Requester};
use allclear_domain::account::Password;
use allclear_domain::id::UserId;
use argon2::{Algorithm, Argon2, Block, Params, Version};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use subtle::ConstantTimeEq;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// Memory of a hash, in KiB.
const MEMORY_KIB: u32 = 19_456;
/// Number of blocks for which address space is reserved: 33 MiB, of which a hash uses
/// [`MEMORY_KIB`]. The C library keeps smaller pieces of memory for the thread that has used them,
/// and any of the blocking threads computes hashes. Pieces above 32 MiB are returned to the system
/// at once (glibc, mallopt(3), `M_MMAP_THRESHOLD`).
const RESERVED_BLOCKS: usize = 33 * 1024;
/// Number of iterations.
const PASSES: u32 = 2;
/// Degree of parallelism.
const LANES: u32 = 1;
/// Bytes of a salt (RFC 9106, section 3.1, recommends 16).
const SALT_BYTES: usize = 16;

/// Hashes passwords outside the threads that serve requests. A limit of concurrent hashes keeps
/// many sign-ins from taking all processors and memory.
pub struct Argon2idHasher {
    running: Arc<Semaphore>,
    waiting: Semaphore,
    waiting_unknown: Semaphore,
    of_accounts: KeyedSemaphore<UserId>,
}

impl Argon2idHasher {
    /// Maximum number of waiting hashes; further ones fail as unavailable.
    const WAITING_PERMITS: usize = 256;
    /// Maximum number of waiting hashes of unknown requesters; further ones fail as unavailable.
    const WAITING_PERMITS_OF_UNKNOWN: usize = Self::WAITING_PERMITS / 2;
    /// Maximum number of hashes of an account that run or wait in the common queue.
    const PERMITS_PER_ACCOUNT: usize = 2;
    /// Maximum number of hashes that wait for a permit of their account; further ones fail as
    /// unavailable.
    const MAX_WAITING_PER_ACCOUNT: usize = 32;

    /// A hasher that computes at most `at_once` hashes at a time. Each takes 19 MiB.
    #[must_use]
    pub fn new(at_once: usize) -> Self {
        let running = Arc::new(Semaphore::new(at_once.max(1)));
        Self {
            running,
            waiting: Semaphore::new(Self::WAITING_PERMITS),
            waiting_unknown: Semaphore::new(Self::WAITING_PERMITS_OF_UNKNOWN),
            of_accounts: KeyedSemaphore::new(
                Self::PERMITS_PER_ACCOUNT,
                Self::MAX_WAITING_PER_ACCOUNT,
            ),
        }
    }

    async fn permit(&self, requester: Requester) -> Result<OwnedSemaphorePermit, Error> {
        let (_of_unknown, _of_account) = match requester {
            Requester::Unknown => (Some(try_acquire(&self.waiting_unknown)?), None),
            Requester::Known(account) => {
                let permit = self.of_accounts.acquire(&account).await;
                (None, Some(permit.ok_or_else(full)?))
            }
        };
        let _waiting = try_acquire(&self.waiting)?;
        Arc::clone(&self.running)
            .acquire_owned()
            .await
            .map_err(Error::internal)
    }

    /// Computes a hash once the requester's turn has come.
    async fn hash_in_turn(
        &self,
        password: &Password,
        parameters: Parameters,
        requester: Requester,
    ) -> Result<Vec<u8>, Error> {
        let password = password.clone();
        let permit = self.permit(requester).await?;
        let computing = tokio::task::spawn_blocking(move || {
            let hash = parameters.hash_of(&password);
            drop(permit);
            hash
        });
        computing.await.map_err(Error::internal)?
    }
}

/// Takes a permit; [`Error::Unavailable`] if there is none.
fn try_acquire(semaphore: &Semaphore) -> Result<SemaphorePermit<'_>, Error> {
    semaphore.try_acquire().map_err(|_| full())
}

fn full() -> Error {
    Error::Unavailable("too many passwords are waiting to be hashed".into())
}

#[async_trait]
impl PasswordHasher for Argon2idHasher {
    async fn hash(&self, password: &Password, requester: Requester) -> Result<PasswordHash, Error> {
        let salt = rand::random::<[u8; SALT_BYTES]>().to_vec();
        let hash = self
            .hash_in_turn(password, Parameters::present(salt.clone()), requester)
            .await?;
        Ok(PasswordHash::new(format!(
            "$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${}${}",
            STANDARD_NO_PAD.encode(salt),
            STANDARD_NO_PAD.encode(hash)
        )))
    }

    async fn verify(
        &self,
        password: &Password,
        stored: Vec<PasswordHash>,
        requester: Requester,
    ) -> Result<Option<usize>, Error> {
        let stored = stored
            .iter()
            .map(|hash| read(hash.as_str()).ok_or_else(|| Error::internal("a hash is malformed")))
            .collect::<Result<Vec<_>, _>>()?;
        let mut computed: Vec<(Parameters, Vec<u8>)> = Vec::new();
        let mut found = None;
        for (index, (parameters, expected)) in stored.iter().enumerate() {
            if computed.iter().all(|(known, _)| known != parameters) {
                let hash = self
                    .hash_in_turn(password, parameters.clone(), requester)
                    .await?;
                computed.push((parameters.clone(), hash));
            }
            let hash = computed.iter().find(|(known, _)| known == parameters);
            let same = hash.is_some_and(|(_, hash)| hash.ct_eq(expected).into());
            if same && found.is_none() {
                found = Some(index);
            }
        }
        if stored.is_empty() {
            // The same work as for an existing account.
            self.hash_in_turn(
                password,
                Parameters::present(vec![0; SALT_BYTES]),
                requester,
            )
            .await?;
        }
        Ok(found)
    }

    fn is_outdated(&self, stored: &PasswordHash) -> bool {
        read(stored.as_str()).is_none_or(|(parameters, _)| {
            parameters.memory < MEMORY_KIB
                || parameters.passes < PASSES
                || parameters.salt.len() < SALT_BYTES
        })
    }
}

/// Parameters and salt of a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameters {
    memory: u32,
    passes: u32,
    lanes: u32,
    salt: Vec<u8>,
}

impl Parameters {
    const fn present(salt: Vec<u8>) -> Self {
        Self {
            memory: MEMORY_KIB,
            passes: PASSES,
            lanes: LANES,
            salt,
        }
    }

    fn hash_of(&self, password: &Password) -> Result<Vec<u8>, Error> {
        let params = Params::new(self.memory, self.passes, self.lanes, Some(32))
            .map_err(|error| Error::internal(error.to_string()))?;
        let mut blocks = Vec::with_capacity(params.block_count().max(RESERVED_BLOCKS));
        blocks.resize(params.block_count(), Block::new());
        let mut hash = vec![0; 32];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into_with_memory(password.as_bytes(), &self.salt, &mut hash, &mut blocks)
            .map_err(|error| Error::internal(error.to_string()))?;
        Ok(hash)
    }
}

/// Parameters and hash of a stored hash in the PHC string format; `None` if it is malformed.
fn read(stored: &str) -> Option<(Parameters, Vec<u8>)> {
    let rest = stored.strip_prefix("$argon2id$v=19$")?;
    let mut fields = rest.split('$');
    let (costs, salt, hash) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() {
        return None;
    }
    let mut costs = costs.split(',');
    let mut cost = |name: &str| -> Option<u32> { costs.next()?.strip_prefix(name)?.parse().ok() };
    let parameters = Parameters {
        memory: cost("m=")?,
        passes: cost("t=")?,
        lanes: cost("p=")?,
        salt: STANDARD_NO_PAD.decode(salt).ok()?,
    };
    Some((parameters, STANDARD_NO_PAD.decode(hash).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    use futures_util::FutureExt as _;
    use uuid::Uuid;

    const KNOWN: Requester = Requester::Known(UserId(Uuid::nil()));

    fn hasher() -> Argon2idHasher {
        Argon2idHasher::new(1)
    }

    fn password(text: &str) -> Password {
        Password::new(text.into())
    }

    #[tokio::test]
    async fn every_hash_has_a_random_salt_and_verifies_its_password_only() {
        let hasher = hasher();
        let one = hasher
            .hash(&password("correct horse"), KNOWN)
            .await
            .unwrap();
        let other = hasher
            .hash(&password("correct horse"), KNOWN)
            .await
            .unwrap();
        assert_ne!(one, other);
        let stored = vec![one, other];
        let found = hasher
            .verify(&password("correct horse"), stored.clone(), KNOWN)
            .await;
        assert_eq!(found.unwrap(), Some(0));
        let found = hasher
            .verify(&password("Correct horse"), stored, KNOWN)
            .await;
        assert_eq!(found.unwrap(), None);
        let found = hasher
            .verify(&password("correct horse"), vec![], KNOWN)
            .await;
        assert_eq!(found.unwrap(), None);
    }

    #[tokio::test]
    async fn the_second_of_two_hashes_with_one_salt_is_found() {
        let parameters = Parameters::present(vec![7; 32]);
        let stored = |text: &str| {
            let hash = parameters.hash_of(&password(text)).unwrap();
            PasswordHash::new(format!(
                "$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${}${}",
                STANDARD_NO_PAD.encode([7; 32]),
                STANDARD_NO_PAD.encode(hash)
            ))
        };
        let both = vec![stored("one"), stored("two")];
        let found = hasher()
            .verify(&password("two"), both, KNOWN)
            .await
            .unwrap();
        assert_eq!(found, Some(1));
    }

    #[tokio::test]
    async fn hash_of_lower_cost_is_outdated() {
        let present = hasher()
            .hash(&password("correct horse"), KNOWN)
            .await
            .unwrap();
        assert!(!hasher().is_outdated(&present));
        for (cost, cheaper) in [("m=19456", "m=9728"), ("t=2", "t=1")] {
            let old = present.as_str().replace(cost, cheaper);
            assert_ne!(old, present.as_str());
            assert!(hasher().is_outdated(&PasswordHash::new(old)));
        }
    }

    #[tokio::test]
    async fn a_malformed_stored_hash_is_an_error() {
        for malformed in [
            "",
            "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA",
            "$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA",
        ] {
            let stored = vec![PasswordHash::new(malformed.into())];
            let result = hasher().verify(&password("x"), stored, KNOWN).await;
            assert!(matches!(result, Err(Error::Internal(_))), "{malformed}");
        }
    }

    #[tokio::test]
    async fn unknown_requesters_leave_half_of_the_queue_to_the_others() {
        let hasher = hasher();
        let _all = hasher
            .waiting_unknown
            .try_acquire_many(u32::try_from(Argon2idHasher::WAITING_PERMITS_OF_UNKNOWN).unwrap())
            .unwrap();
        let password = password("correct horse");
        let refused = hasher.hash(&password, Requester::Unknown).await;
        assert!(matches!(refused, Err(Error::Unavailable(_))));
        hasher.hash(&password, KNOWN).await.unwrap();
    }

    #[tokio::test]
    async fn hashes_of_an_account_do_not_fill_the_queue() {
        let hasher = hasher();
        let running = hasher.running.acquire().await.unwrap();
        let most = Argon2idHasher::PERMITS_PER_ACCOUNT + Argon2idHasher::MAX_WAITING_PER_ACCOUNT;
        let mut waiting: Vec<_> = (0..most).map(|_| Box::pin(hasher.permit(KNOWN))).collect();
        for permit in &mut waiting {
            assert!(permit.as_mut().now_or_never().is_none());
        }
        let taken = Argon2idHasher::WAITING_PERMITS - hasher.waiting.available_permits();
        assert_eq!(taken, Argon2idHasher::PERMITS_PER_ACCOUNT);
        let refused = hasher.permit(KNOWN).await;
        assert!(matches!(refused, Err(Error::Unavailable(_))));
        drop(running);
        for permit in waiting {
            drop(permit.await.unwrap());
        }
    }

    #[tokio::test]
    async fn full_queue_asks_the_caller_to_retry() {
        let hasher = hasher();
        let _all = hasher
            .waiting
            .try_acquire_many(u32::try_from(Argon2idHasher::WAITING_PERMITS).unwrap())
            .unwrap();
        let result = hasher.hash(&password("correct horse"), KNOWN).await;
        assert!(matches!(result, Err(Error::Unavailable(_))));
    }
}
