//! Codes of authenticator apps (RFC 6238).

use std::fmt;

use allclear_domain::id::UserId;
use chrono::{DateTime, Utc};
use totp_rs::{Builder, Secret};

use crate::error::Error;
use crate::secret::HmacKey;

/// Name of the product in authenticator apps.
const ISSUER: &str = "Allclear";
/// Seconds of a time step.
const STEP_SECONDS: u64 = 30;
/// Number of time steps by which the clock of the app may be early or late.
const DRIFT: u16 = 1;
/// Number of digits of a code.
const DIGITS: u8 = 6;
/// Bytes of a secret: 160 bits (RFC 4226, section 4, requirement 6).
const SECRET_BYTES: usize = 20;

/// The secret of an authenticator app. It is derived from the installation's secret and a stored
/// nonce, so the stored part alone is useless, and it is never logged.
pub(super) struct Totp {
    secret: [u8; SECRET_BYTES],
}

impl Totp {
    /// The secret of an account with this nonce.
    pub(super) fn new(key: &HmacKey, user: UserId, nonce: &str) -> Self {
        let derived = key.sign("totp secret", &[user.0.as_bytes(), nonce.as_bytes()]);
        let mut secret = [0; SECRET_BYTES];
        secret.copy_from_slice(&derived[..SECRET_BYTES]);
        Self { secret }
    }

    /// The secret as text, for apps that cannot read the QR code.
    pub(super) fn reveal(&self) -> String {
        Secret::from(self.secret).to_base32()
    }

    /// The URI that a QR code carries to an app.
    pub(super) fn uri(&self, account: &str) -> Result<String, Error> {
        let named = self
            .builder()
            .with_issuer(Some(ISSUER))
            .with_account_name(account);
        let totp = named.build().map_err(internal)?;
        totp.to_url().map_err(internal)
    }

    /// Returns the time step of a code that is valid now and later than `last_step`; `None` if it
    /// is not valid.
    pub(super) fn step_of(
        &self,
        code: &str,
        now: DateTime<Utc>,
        last_step: i64,
    ) -> Result<Option<i64>, Error> {
        let totp = self.builder().build().map_err(internal)?;
        let now = u64::try_from(now.timestamp()).map_err(Error::internal)?;
        let step = totp.check(code, now).map(i64::try_from);
        let step = step.transpose().map_err(Error::internal)?;
        Ok(step.filter(|step| *step > last_step))
    }

    /// The code that an app shows.
    #[cfg(test)]
    pub(super) fn code_at(&self, now: DateTime<Utc>) -> String {
        let totp = self.builder().build().unwrap();
        totp.generate(now.timestamp().unsigned_abs()).to_string()
    }

    fn builder(&self) -> Builder {
        Builder::new()
            .with_digits(DIGITS)
            .with_step_duration(STEP_SECONDS)
            .with_skew(DRIFT)
            .with_secret(self.secret)
    }
}

impl fmt::Debug for Totp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Totp(..)")
    }
}

fn internal(error: impl fmt::Display) -> Error {
    Error::internal(error.to_string())
}

/// The code in an entered text, without spaces; `None` if the text does not have the form
/// of a code.
pub(super) fn entered(text: &str) -> Option<String> {
    let code: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_code =
        code.len() == usize::from(DIGITS) && code.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::fixture::hmac_key;

    /// RFC 6238, appendix B; the codes' last six digits.
    const VECTORS: [(i64, &str); 4] = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_234_567_890, "005924"),
        (20_000_000_000, "353130"),
    ];

    fn totp() -> Totp {
        Totp {
            secret: *b"12345678901234567890",
        }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, code) in VECTORS {
            let step = totp().step_of(code, at(seconds), 0).unwrap();
            assert_eq!(step, Some(seconds / 30), "{code}");
        }
    }

    #[test]
    fn a_code_is_valid_one_step_before_and_after_its_own() {
        let (seconds, code) = VECTORS[2];
        for (drift, valid) in [
            (-60, false),
            (-30, true),
            (0, true),
            (30, true),
            (60, false),
        ] {
            let step = totp().step_of(code, at(seconds + drift), 0).unwrap();
            assert_eq!(step.is_some(), valid, "{drift}");
        }
    }

    #[test]
    fn neither_a_used_code_nor_an_older_one_is_valid() {
        let (seconds, code) = VECTORS[2];
        let own = seconds / 30;
        for (last, valid) in [(own - 1, true), (own, false), (own + 1, false)] {
            let step = totp().step_of(code, at(seconds), last).unwrap();
            assert_eq!(step.is_some(), valid, "{last}");
        }
        assert_eq!(totp().step_of("000000", at(seconds), 0).unwrap(), None);
    }

    #[test]
    fn secret_depends_on_installation_account_and_nonce() {
        let key = hmac_key();
        let other_key = HmacKey::new("another secret").unwrap();
        let user = |number| UserId(uuid::Uuid::from_u128(number));
        let secret = Totp::new(&key, user(1), "nonce").reveal();
        assert_eq!(secret.len(), 32);
        assert_eq!(Totp::new(&key, user(1), "nonce").reveal(), secret);
        for other in [
            Totp::new(&other_key, user(1), "nonce"),
            Totp::new(&key, user(2), "nonce"),
            Totp::new(&key, user(1), "other"),
        ] {
            assert_ne!(other.reveal(), secret);
            assert!(!format!("{other:?}").contains(&other.reveal()));
        }
    }

    #[test]
    fn uri_names_product_and_account() {
        let uri = totp().uri("ann+work@example.com").unwrap();
        let account = "otpauth://totp/Allclear:ann%2Bwork%40example.com?";
        assert!(uri.starts_with(account), "{uri}");
        for part in ["secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "issuer=Allclear"] {
            assert!(uri.contains(part), "{uri}");
        }
    }

    #[test]
    fn six_digits_have_the_form_of_a_code() {
        assert_eq!(entered(" 123 456 ").as_deref(), Some("123456"));
        for other in ["", "12345", "1234567", "12345a", "１２３４５６"] {
            assert_eq!(entered(other), None, "{other}");
        }
    }
}
