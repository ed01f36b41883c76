//! Keys and claims of the tests.

use std::sync::Arc;

use allclear_application::caller::{Role, TokenMembership};
use allclear_application::installation::{MockInstallationStore, SigningKey};
use allclear_application::session::TokenClaims;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use uuid::Uuid;

use super::key_ring::KeyRing;
use super::signing::{Signer, key_id};
use crate::fixture::{URL, clock, now};

pub(crate) fn signing_key(seed: u8) -> SigningKey {
    let private = URL_SAFE_NO_PAD.encode([seed; 32]);
    SigningKey {
        id: key_id(&private).unwrap(),
        private,
        created_at: now(),
    }
}

pub(crate) fn signer(seed: u8) -> Signer {
    Signer::new(&[signing_key(seed)], URL).unwrap()
}

/// A key ring with the signer's keys, which are never replaced.
pub(crate) fn key_ring(seed: u8) -> Arc<KeyRing> {
    let mut store = MockInstallationStore::new();
    store
        .expect_signing_keys()
        .returning(move || Ok(vec![signing_key(seed)]));
    let keys = [signing_key(seed)];
    Arc::new(KeyRing::new(Arc::new(store), clock(0), &keys, URL).unwrap())
}

pub(crate) fn organisation() -> OrganisationId {
    OrganisationId::parse("org_1").unwrap()
}

/// A token's claims, issued [`now`] for five minutes.
pub(crate) fn claims() -> TokenClaims {
    let membership = TokenMembership {
        organisation: organisation(),
        organisation_name: Some("Acme".into()),
        role: Role::Admin,
    };
    TokenClaims {
        user: UserId(Uuid::from_u128(1)),
        name: "Ann".into(),
        session: SessionId(Uuid::from_u128(2)),
        membership: Some(membership),
        issued_at: now(),
        expires_at: now() + TimeDelta::minutes(5),
    }
}
