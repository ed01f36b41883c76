//! Wires the built-in identity provider.

use std::sync::Arc;

use allclear_application::account::{AccountPorts, Accounts};
use allclear_application::background::Background;
use allclear_application::caller::TokenVerifier;
use allclear_application::clock::Clock;
use allclear_application::installation::Secrets;
use allclear_application::invitation::Invitations;
use allclear_application::link::Links;
use allclear_application::mail::Mailer;
use allclear_application::mail_budget::MailBudget;
use allclear_application::membership::Memberships;
use allclear_application::openid::OpenId;
use allclear_application::passkey::{PasskeyPorts, PasskeyVerifier, Passkeys};
use allclear_application::password::{PasswordPorts, Passwords};
use allclear_application::relay::Relay;
use allclear_application::second_factor::{FactorPorts, SecondFactors};
use allclear_application::secret::HmacKey;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::security_mail::SecurityMails;
use allclear_application::session::{SessionOpener, Sessions};
use allclear_application::waitlist::Waitlist;
use allclear_domain::account::AddressDraft;
use allclear_identity::key_ring::KeyRing;
use allclear_identity::passkey::WebauthnVerifier;
use allclear_identity::password_hasher::Argon2idHasher;
use allclear_identity::secrets;
use allclear_identity::verifier::Verifier;
use allclear_persistence::database::Database;
use allclear_transport::identity::BuiltInServices;
use allclear_transport::identity::openid::{OpenIdServices, OpenIdThrottle};
use allclear_transport::identity::throttle::IdentityThrottle;

use crate::connect;
use crate::openid;
use crate::settings::Settings;

/// Services of the built-in identity provider.
pub(crate) struct Identity {
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) passwords: Arc<Passwords>,
    pub(crate) second_factors: Arc<SecondFactors>,
    pub(crate) passkeys: Arc<Passkeys>,
    pub(crate) memberships: Arc<Memberships>,
    pub(crate) invitations: Arc<Invitations>,
    pub(crate) waitlist: Arc<Waitlist>,
    pub(crate) verifier: Arc<dyn TokenVerifier>,
    pub(crate) keys: Arc<KeyRing>,
    /// Sign-in by OpenID Connect.
    pub(crate) openid: Arc<OpenId>,
    /// Quotas of mails that people cause.
    pub(crate) mail_budget: Arc<MailBudget>,
    /// Mails about the security of accounts.
    pub(crate) security_mails: SecurityMails,
    /// Whether the installation has no account yet.
    pub(crate) is_first: bool,
}

/// The secrets of the installation, which its nodes share.
pub(crate) async fn load_secrets(
    database: &Database,
    clock: &dyn Clock,
) -> Result<Secrets, String> {
    secrets::load(database, clock)
        .await
        .map_err(|error| error.to_string())
}

/// Name of the installation, derived from its secret, and the key with which its nodes sign messages to each other.
pub(crate) async fn installation(
    database: &Database,
    clock: &dyn Clock,
) -> Result<(String, HmacKey), String> {
    let secrets = load_secrets(database, clock).await?;
    let hmac_key = HmacKey::new(&secrets.salt).map_err(|error| error.to_string())?;
    let signature = hmac_key.sign("installation", &[]);
    let signature = u128::from_be_bytes(
        signature[..16]
            .try_into()
            .map_err(|_| "the signature is too short".to_owned())?,
    );
    Ok((format!("{signature:032x}"), hmac_key))
}

/// The built-in provider over a database.
#[expect(clippy::too_many_lines, reason = "one line for each part")]
pub(crate) async fn built_in(
    settings: &Settings,
    public_url: &str,
    database: &Database,
    relay: &Arc<Relay>,
    clock: &Arc<dyn Clock>,
    background: &Background,
    mailer: &Arc<dyn Mailer>,
) -> Result<Identity, String> {
    let store = Arc::new(database.clone());
    let links = Links::new(public_url);
    let secrets = load_secrets(database, clock.as_ref()).await?;
    let keys = KeyRing::new(
        Arc::clone(&store) as _,
        Arc::clone(clock),
        &secrets.signing_keys,
        public_url,
    );
    let keys = Arc::new(keys.map_err(|error| error.to_string())?);
    let hasher = hasher();

    let mail_budget = mail_budget(settings, database, &secrets.salt, clock)?;
    let security_mails = SecurityMails::new(
        Arc::clone(mailer),
        Arc::clone(&mail_budget),
        Arc::clone(clock),
        background.clone(),
        links.clone(),
    );
    let hmac_key = HmacKey::new(&secrets.salt).map_err(|error| error.to_string())?;
    let opener = SessionOpener::new(
        Arc::clone(&store) as _,
        Arc::clone(clock),
        hmac_key.clone(),
        security_mails.clone(),
    );
    let second_factors = Arc::new(SecondFactors::new(FactorPorts {
        accounts: Arc::clone(&store) as _,
        organisations: Arc::clone(&store) as _,
        factors: Arc::clone(&store) as _,
        opener: opener.clone(),
        mails: security_mails.clone(),
        clock: Arc::clone(clock),
        hmac_key: hmac_key.clone(),
    }));
    let passkeys = Passkeys::new(PasskeyPorts {
        passkeys: Arc::clone(&store) as _,
        sessions: Arc::clone(&store) as _,
        verifier: passkey_verifier(settings, public_url),
        opener: opener.clone(),
        mails: security_mails.clone(),
        clock: Arc::clone(clock),
        hmac_key,
    });
    let ports = AccountPorts {
        accounts: Arc::clone(&store) as _,
        sessions: Arc::clone(&store) as _,
        organisations: Arc::clone(&store) as _,
        waitlist: Arc::clone(&store) as _,
        factors: Arc::clone(&store) as _,
        second_factors: Arc::clone(&second_factors),
        opener,
        hasher: Arc::clone(&hasher) as _,
        mailer: Arc::clone(mailer),
        mails: security_mails.clone(),
        mail_budget: Arc::clone(&mail_budget),
        clock: Arc::clone(clock),
    };
    let salt = &secrets.salt;
    let openid = openid::openid(settings, public_url, &store, &ports, salt, background)?;
    let accounts = Accounts::new(ports, settings.sign_up, background.clone(), links.clone());
    let is_first = accounts
        .is_first()
        .await
        .map_err(|error| error.to_string())?;
    let sessions = Sessions::new(
        Arc::clone(&store) as _,
        Arc::clone(&keys) as _,
        Arc::clone(clock),
    );
    let ports = PasswordPorts {
        accounts: Arc::clone(&store) as _,
        hasher,
        mailer: Arc::clone(mailer),
        mail_budget: Arc::clone(&mail_budget),
        security_mails: security_mails.clone(),
        clock: Arc::clone(clock),
    };
    let passwords = Passwords::new(ports, background.clone(), links.clone());
    let memberships = Memberships::new(
        Arc::clone(&store) as _,
        Arc::clone(&store) as _,
        Arc::clone(relay),
        Arc::clone(clock),
    );
    let invitations = Arc::new(Invitations::new(
        Arc::clone(&store) as _,
        Arc::clone(&store) as _,
        Arc::clone(mailer),
        Arc::clone(&mail_budget),
        Arc::clone(clock),
        links,
    ));
    let waitlist = Waitlist::new(Arc::clone(&store) as _, Arc::clone(&invitations));
    let verifier = Verifier::new(Arc::clone(&keys), store, Arc::clone(clock));
    Ok(Identity {
        accounts: Arc::new(accounts),
        sessions: Arc::new(sessions),
        passwords: Arc::new(passwords),
        second_factors,
        passkeys: Arc::new(passkeys),
        memberships: Arc::new(memberships),
        invitations,
        waitlist: Arc::new(waitlist),
        verifier: Arc::new(verifier),
        keys,
        openid: Arc::new(openid),
        mail_budget,
        security_mails,
        is_first,
    })
}

/// Verifies passkeys of this public URL. `None` if passkeys are not offered: its host is an address, or people may only sign in with
/// their identity provider, which a passkey would bypass.
fn passkey_verifier(settings: &Settings, public_url: &str) -> Option<Arc<dyn PasskeyVerifier>> {
    if !settings.openid.passwords() {
        return None;
    }
    let verifier = WebauthnVerifier::new(public_url)?;
    Some(Arc::new(verifier))
}

/// Hashes as many passwords at once as there are processors.
fn hasher() -> Arc<Argon2idHasher> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Arc::new(Argon2idHasher::new(cores))
}

/// Quotas of mails that people cause, shared by all nodes of a database.
fn mail_budget(
    settings: &Settings,
    database: &Database,
    salt: &str,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<MailBudget>, String> {
    let hmac_key = HmacKey::new(salt).map_err(|error| error.to_string())?;
    let (store, clock) = (Arc::new(database.clone()), Arc::clone(clock));
    let limits = settings.usage.mails();
    Ok(Arc::new(MailBudget::new(store, clock, hmac_key, limits)))
}

impl Identity {
    /// Services of the identity routes.
    pub(crate) fn transport_services(&self, settings: &Settings) -> BuiltInServices {
        BuiltInServices {
            verifier: Arc::clone(&self.verifier),
            accounts: Arc::clone(&self.accounts),
            sessions: Arc::clone(&self.sessions),
            passwords: Arc::clone(&self.passwords),
            second_factors: Arc::clone(&self.second_factors),
            passkeys: Arc::clone(&self.passkeys),
            memberships: Arc::clone(&self.memberships),
            invitations: Arc::clone(&self.invitations),
            waitlist: Arc::clone(&self.waitlist),
            throttle: Arc::new(IdentityThrottle::new(&settings.limits.identity())),
            openid: OpenIdServices {
                openid: Arc::clone(&self.openid),
                throttle: Arc::new(OpenIdThrottle::new(settings.openid.limit())),
                passwords: settings.openid.passwords(),
            },
        }
    }
}

/// Reloads the signing keys, so that every node uses a replaced key.
pub(crate) async fn reload_keys(keys: &KeyRing) {
    match keys.reload().await {
        Ok(None) => {}
        Ok(Some(key)) => record_new_key(&key),
        // The current keys stay in use; other users of the database log its failure.
        Err(error) => tracing::debug!(
            error = &error as &dyn std::error::Error,
            "the signing keys could not be read"
        ),
    }
}

fn record_new_key(key: &str) {
    SecurityRecord {
        object: Some(&key),
        ..SecurityRecord::new(SecurityEvent::SigningKeyReplaced)
    }
    .write();
}

/// Replaces the key that signs tokens. A server may be running on the same database. Returns the new key's name.
pub(crate) async fn rotate_keys(settings: &Settings) -> Result<String, String> {
    if settings.clerk.application()?.is_some() {
        return Err("people sign in with Clerk: rotate the keys in Clerk's dashboard".to_owned());
    }
    connect::with_database(settings, async |database, clock| {
        let key = secrets::rotate(database, &**clock)
            .await
            .map_err(|error| error.to_string())?;
        record_new_key(&key);
        Ok(key)
    })
    .await
}

/// Mails about the security of accounts, for a command.
pub(crate) async fn security_mails(
    settings: &Settings,
    database: &Database,
    clock: &Arc<dyn Clock>,
    background: &Background,
) -> Result<SecurityMails, String> {
    let public_url = settings.public_url(settings.listen.port());
    let mailer = crate::mail::mailer(settings, &public_url, clock)?;
    let secrets = load_secrets(database, clock.as_ref()).await?;
    let mail_budget = mail_budget(settings, database, &secrets.salt, clock)?;
    let (clock, background) = (Arc::clone(clock), background.clone());
    let links = Links::new(&public_url);
    Ok(SecurityMails::new(
        mailer,
        mail_budget,
        clock,
        background,
        links,
    ))
}

/// Invites a person. A server may be running on the same database. Returns the link.
pub(crate) async fn invite(settings: &Settings, address: String) -> Result<String, String> {
    if settings.clerk.application()?.is_some() {
        return Err("people sign in with Clerk: invite them in Clerk's dashboard".to_owned());
    }
    connect::with_database(settings, async |database, clock| {
        let public_url = settings.public_url(settings.listen.port());
        let store = Arc::new(database.clone());
        let mailer = crate::mail::mailer(settings, &public_url, clock)?;
        let secrets = load_secrets(database, &**clock).await?;
        let mail_budget = mail_budget(settings, database, &secrets.salt, clock)?;
        let factors = Arc::clone(&store) as _;
        let (clock, links) = (Arc::clone(clock), Links::new(&public_url));
        let invitations = Invitations::new(store, factors, mailer, mail_budget, clock, links);
        invitations
            .admit(AddressDraft { email: address })
            .await
            .map_err(|error| error.to_string())
    })
    .await
}
