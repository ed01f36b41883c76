//! Encryption of stored responses, which may hold secrets: `ChaCha20-Poly1305` (RFC 8439).

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::error::Error;

/// The key of one response.
pub(super) struct ResponseCipher([u8; 32]);

impl ResponseCipher {
    pub(super) const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Encrypts a response. It can be decrypted under the same name only.
    pub(super) fn encrypt(&self, name: &[u8], mut response: Vec<u8>) -> Result<Vec<u8>, Error> {
        let nonce: [u8; NONCE_LEN] = rand::random();
        let key = self.key()?;
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(name),
            &mut response,
        )
        .map_err(|_| Error::internal("a response could not be encrypted"))?;
        Ok([nonce.as_slice(), &response].concat())
    }

    /// Decrypts a response.
    pub(super) fn decrypt(&self, name: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let wrong = || Error::internal("a stored response could not be decrypted");
        let (nonce, response) = sealed.split_first_chunk::<NONCE_LEN>().ok_or_else(wrong)?;
        let mut response = response.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self
            .key()?
            .open_in_place(nonce, Aad::from(name), &mut response)
            .map_err(|_| wrong())?
            .len();
        response.truncate(opened);
        Ok(response)
    }

    fn key(&self) -> Result<LessSafeKey, Error> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, &self.0);
        key.map(LessSafeKey::new)
            .map_err(|_| Error::internal("not a key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_is_decrypted_by_its_key_and_name_only() {
        let cipher = ResponseCipher::new([1; 32]);
        let sealed = cipher.encrypt(b"name", b"secret".to_vec()).unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_eq!(cipher.decrypt(b"name", &sealed).unwrap(), b"secret");
        assert!(cipher.decrypt(b"other", &sealed).is_err());
        assert!(
            ResponseCipher::new([2; 32])
                .decrypt(b"name", &sealed)
                .is_err()
        );
        assert!(cipher.decrypt(b"name", &[0; 5]).is_err());
    }
}
