//! Wires the built-in identity provider.

mod account_mailer;
pub(crate) mod command;

use std::sync::Arc;
use std::time::Duration;

use allclear_application::account::{AccountPorts, Accounts};
use allclear_application::caller::TokenVerifier;
use allclear_application::clock::Clock;
use allclear_application::invitation::Invitations;
use allclear_application::mail::Mailer;
use allclear_application::mail_budget::MailBudget;
use allclear_application::membership::Memberships;
use allclear_application::openid::OpenId;
use allclear_application::passkey::{PasskeyPorts, PasskeyVerifier, Passkeys};
use allclear_application::password::{PasswordPorts, Passwords};
use allclear_application::second_factor::{FactorPorts, SecondFactors};
use allclear_application::secret::HmacKey;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::security_mail::SecurityMails;
use allclear_application::session::{SessionOpener, Sessions};
use allclear_application::waitlist::Waitlist;
use allclear_identity::built_in::key_ring::KeyRing;
use allclear_identity::built_in::passkey::WebauthnVerifier;
use allclear_identity::built_in::password_hasher::Argon2idHasher;
use allclear_identity::built_in::verifier::BuiltInVerifier;
use allclear_persistence::database::Database;
use allclear_transport::built_in::BuiltInServices;
use allclear_transport::built_in::openid::{OpenIdServices, OpenIdThrottle};
use allclear_transport::built_in::throttle::IdentityThrottle;

use self::account_mailer::AccountMailer;
use crate::infrastructure::Infrastructure;
use crate::installation::Installation;
use crate::openid;
use crate::output::with_causes;
use crate::settings::Settings;
use crate::tasks::Tasks;

/// Interval of the removal of expired sessions, password resets and invitations.
const PRUNE_INTERVAL: Duration = Duration::from_hours(1);

/// Services of the built-in identity provider.
pub(crate) struct IdentityServices {
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) sessions: Arc<Sessions>,
    passwords: Arc<Passwords>,
    second_factors: Arc<SecondFactors>,
    pub(crate) passkeys: Arc<Passkeys>,
    pub(crate) memberships: Arc<Memberships>,
    invitations: Arc<Invitations>,
    waitlist: Arc<Waitlist>,
    verifier: Arc<dyn TokenVerifier>,
    keys: Arc<KeyRing>,
    /// Sign-in by OpenID Connect.
    openid: Arc<OpenId>,
    /// Quotas of mails that people cause.
    pub(crate) mail_budget: Arc<MailBudget>,
    /// Mails about the security of accounts.
    pub(crate) security_mails: SecurityMails,
    /// Whether the installation has no account yet.
    pub(crate) is_first: bool,
}

/// What several services of the built-in provider use.
struct SharedServices {
    keys: Arc<KeyRing>,
    hasher: Arc<Argon2idHasher>,
    mail_budget: Arc<MailBudget>,
    security_mails: SecurityMails,
    opener: SessionOpener,
    second_factors: Arc<SecondFactors>,
}

impl SharedServices {
    fn new(infra: &Infrastructure) -> Result<Self, String> {
        let Installation {
            hmac_key,
            signing_keys,
            ..
        } = &infra.installation;
        let keys = KeyRing::new(
            infra.store(),
            infra.clock(),
            signing_keys,
            &infra.public_url,
        );
        let keys = Arc::new(keys.map_err(|error| with_causes(&error))?);
        let mail_budget = mail_budget(&infra.settings, infra.store(), infra.clock(), hmac_key);
        let security_mails = SecurityMails::new(
            account_mailer(infra),
            Arc::clone(&mail_budget),
            infra.clock(),
            infra.background.clone(),
            infra.links.clone(),
        );
        let opener = SessionOpener::new(
            infra.store(),
            infra.clock(),
            hmac_key.clone(),
            security_mails.clone(),
        );
        let second_factors = SecondFactors::new(FactorPorts {
            accounts: infra.store(),
            organisations: infra.store(),
            factors: infra.store(),
            opener: opener.clone(),
            mails: security_mails.clone(),
            clock: infra.clock(),
            app_clock: infra.machine_clock(),
            hmac_key: hmac_key.clone(),
            signer: Arc::clone(&keys) as _,
        });
        Ok(Self {
            keys,
            hasher: hasher(),
            mail_budget,
            security_mails,
            opener,
            second_factors: Arc::new(second_factors),
        })
    }
}

impl IdentityServices {
    /// The services over the infrastructure. Reads whether there is an account.
    ///
    /// # Errors
    /// One line with the reason.
    pub(crate) async fn load(infra: &Infrastructure) -> Result<Self, String> {
        let shared = SharedServices::new(infra)?;
        let passkeys = passkeys(infra, &shared);
        let passwords = passwords(infra, &shared);
        let ports = account_ports(infra, &shared);
        let openid = openid::openid(infra, &ports).await?;
        let accounts = Accounts::new(
            ports,
            infra.settings.sign_up,
            infra.background.clone(),
            infra.links.clone(),
        );
        let is_first = accounts
            .is_first()
            .await
            .map_err(|error| with_causes(&error))?;
        let sessions = Sessions::new(infra.store(), Arc::clone(&shared.keys) as _, infra.clock());
        let (memberships, invitations) = organisations(infra, &shared);
        let waitlist = Waitlist::new(infra.store(), Arc::clone(&invitations));
        let verifier = BuiltInVerifier::new(Arc::clone(&shared.keys), infra.store(), infra.clock());
        Ok(Self {
            accounts: Arc::new(accounts),
            sessions: Arc::new(sessions),
            passwords: Arc::new(passwords),
            second_factors: shared.second_factors,
            passkeys: Arc::new(passkeys),
            memberships: Arc::new(memberships),
            invitations,
            waitlist: Arc::new(waitlist),
            verifier: Arc::new(verifier),
            keys: shared.keys,
            openid: Arc::new(openid),
            mail_budget: shared.mail_budget,
            security_mails: shared.security_mails,
            is_first,
        })
    }
}

fn account_ports(infra: &Infrastructure, shared: &SharedServices) -> AccountPorts {
    AccountPorts {
        accounts: infra.store(),
        sessions: infra.store(),
        organisations: infra.store(),
        waitlist: infra.store(),
        factors: infra.store(),
        second_factors: Arc::clone(&shared.second_factors),
        opener: shared.opener.clone(),
        hasher: Arc::clone(&shared.hasher) as _,
        mailer: account_mailer(infra),
        mails: shared.security_mails.clone(),
        mail_budget: Arc::clone(&shared.mail_budget),
        clock: infra.clock(),
    }
}

fn passkeys(infra: &Infrastructure, shared: &SharedServices) -> Passkeys {
    Passkeys::new(PasskeyPorts {
        accounts: infra.store(),
        passkeys: infra.store(),
        sessions: infra.store(),
        verifier: passkey_verifier(&infra.settings, &infra.public_url),
        opener: shared.opener.clone(),
        mails: shared.security_mails.clone(),
        clock: infra.clock(),
        hmac_key: infra.installation.hmac_key.clone(),
        signer: Arc::clone(&shared.keys) as _,
    })
}

fn passwords(infra: &Infrastructure, shared: &SharedServices) -> Passwords {
    let ports = PasswordPorts {
        accounts: infra.store(),
        hasher: Arc::clone(&shared.hasher) as _,
        mailer: account_mailer(infra),
        mail_budget: Arc::clone(&shared.mail_budget),
        security_mails: shared.security_mails.clone(),
        opener: shared.opener.clone(),
        clock: infra.clock(),
    };
    Passwords::new(ports, infra.background.clone(), infra.links.clone())
}

/// Services of an organisation's members and invitations.
fn organisations(
    infra: &Infrastructure,
    shared: &SharedServices,
) -> (Memberships, Arc<Invitations>) {
    let memberships = Memberships::new(infra.store(), infra.store(), infra.relay(), infra.clock());
    let invitations = Invitations::new(
        infra.store(),
        infra.store(),
        account_mailer(infra),
        Arc::clone(&shared.mail_budget),
        infra.clock(),
        infra.links.clone(),
    );
    (memberships, Arc::new(invitations))
}

/// The mailer of mails about accounts.
fn account_mailer(infra: &Infrastructure) -> Arc<dyn Mailer> {
    Arc::new(AccountMailer(infra.mailer()))
}

/// Verifies passkeys of this public URL. `None` if passkeys are not offered: its host is an
/// address, or people may only sign in with their identity provider, which a passkey would bypass.
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
    store: Arc<Database>,
    clock: Arc<dyn Clock>,
    hmac_key: &HmacKey,
) -> Arc<MailBudget> {
    let limits = settings.usage.mails();
    Arc::new(MailBudget::new(store, clock, hmac_key.clone(), limits))
}

impl IdentityServices {
    /// Starts the tasks that remove expired data and reload the signing keys.
    pub(crate) fn start(&self, tasks: &mut Tasks) {
        let accounts = Arc::clone(&self.accounts);
        tasks.repeat_removal("prune_accounts", PRUNE_INTERVAL, move || {
            let accounts = Arc::clone(&accounts);
            async move { accounts.prune().await }
        });
        let keys = Arc::clone(&self.keys);
        tasks.repeat("reload_keys", KeyRing::RELOAD_INTERVAL, move || {
            let keys = Arc::clone(&keys);
            async move {
                reload_keys(&keys).await;
                Ok(())
            }
        });
    }

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
async fn reload_keys(keys: &KeyRing) {
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
