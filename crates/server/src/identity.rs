//! Wires the built-in identity provider.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::account::{AccountPorts, Accounts};
use allclear_application::background::Background;
use allclear_application::caller::TokenVerifier;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::invitation::{Invitations, StoredInvitation};
use allclear_application::link::Links;
use allclear_application::mail::{
    Mail, MailContent, MailPreview, Mailer, PROMPT_MAIL_TIMEOUT, SendError,
};
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
use allclear_domain::account::AddressDraft;
use allclear_identity::built_in::key_ring::KeyRing;
use allclear_identity::built_in::passkey::WebauthnVerifier;
use allclear_identity::built_in::password_hasher::Argon2idHasher;
use allclear_identity::built_in::verifier::BuiltInVerifier;
use allclear_identity::secrets;
use allclear_persistence::database::Database;
use allclear_transport::built_in::BuiltInServices;
use allclear_transport::built_in::openid::{OpenIdServices, OpenIdThrottle};
use allclear_transport::built_in::throttle::IdentityThrottle;
use async_trait::async_trait;
use tokio::time::timeout;

use crate::infrastructure::Infrastructure;
use crate::installation::Installation;
use crate::metrics::ACCOUNT_MAILS_FAILED;
use crate::output::with_causes;
use crate::settings::Settings;
use crate::tasks::Tasks;
use crate::{connect, mail, openid};

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

/// What the services of the built-in provider have in common.
struct Foundation {
    keys: Arc<KeyRing>,
    hasher: Arc<Argon2idHasher>,
    mail_budget: Arc<MailBudget>,
    security_mails: SecurityMails,
    opener: SessionOpener,
    second_factors: Arc<SecondFactors>,
}

impl Foundation {
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
        let base = Foundation::new(infra)?;
        let passkeys = passkeys(infra, &base);
        let passwords = passwords(infra, &base);
        let ports = account_ports(infra, &base);
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
        let sessions = Sessions::new(infra.store(), Arc::clone(&base.keys) as _, infra.clock());
        let (memberships, invitations) = organisations(infra, &base);
        let waitlist = Waitlist::new(infra.store(), Arc::clone(&invitations));
        let verifier = BuiltInVerifier::new(Arc::clone(&base.keys), infra.store(), infra.clock());
        Ok(Self {
            accounts: Arc::new(accounts),
            sessions: Arc::new(sessions),
            passwords: Arc::new(passwords),
            second_factors: base.second_factors,
            passkeys: Arc::new(passkeys),
            memberships: Arc::new(memberships),
            invitations,
            waitlist: Arc::new(waitlist),
            verifier: Arc::new(verifier),
            keys: base.keys,
            openid: Arc::new(openid),
            mail_budget: base.mail_budget,
            security_mails: base.security_mails,
            is_first,
        })
    }
}

fn account_ports(infra: &Infrastructure, base: &Foundation) -> AccountPorts {
    AccountPorts {
        accounts: infra.store(),
        sessions: infra.store(),
        organisations: infra.store(),
        waitlist: infra.store(),
        factors: infra.store(),
        second_factors: Arc::clone(&base.second_factors),
        opener: base.opener.clone(),
        hasher: Arc::clone(&base.hasher) as _,
        mailer: account_mailer(infra),
        mails: base.security_mails.clone(),
        mail_budget: Arc::clone(&base.mail_budget),
        clock: infra.clock(),
    }
}

fn passkeys(infra: &Infrastructure, base: &Foundation) -> Passkeys {
    Passkeys::new(PasskeyPorts {
        accounts: infra.store(),
        passkeys: infra.store(),
        sessions: infra.store(),
        verifier: passkey_verifier(&infra.settings, &infra.public_url),
        opener: base.opener.clone(),
        mails: base.security_mails.clone(),
        clock: infra.clock(),
        hmac_key: infra.installation.hmac_key.clone(),
        signer: Arc::clone(&base.keys) as _,
    })
}

fn passwords(infra: &Infrastructure, base: &Foundation) -> Passwords {
    let ports = PasswordPorts {
        accounts: infra.store(),
        hasher: Arc::clone(&base.hasher) as _,
        mailer: account_mailer(infra),
        mail_budget: Arc::clone(&base.mail_budget),
        security_mails: base.security_mails.clone(),
        opener: base.opener.clone(),
        clock: infra.clock(),
    };
    Passwords::new(ports, infra.background.clone(), infra.links.clone())
}

/// Services of an organisation's members and invitations.
fn organisations(infra: &Infrastructure, base: &Foundation) -> (Memberships, Arc<Invitations>) {
    let memberships = Memberships::new(infra.store(), infra.store(), infra.relay(), infra.clock());
    let invitations = Invitations::new(
        infra.store(),
        infra.store(),
        account_mailer(infra),
        Arc::clone(&base.mail_budget),
        infra.clock(),
        infra.links.clone(),
    );
    (memberships, Arc::new(invitations))
}

/// The mailer of mails about accounts.
fn account_mailer(infra: &Infrastructure) -> Arc<dyn Mailer> {
    Arc::new(AccountMailer(infra.mailer()))
}

/// Sends mails about accounts, and counts failed attempts.
struct AccountMailer(Arc<dyn Mailer>);

#[async_trait]
impl Mailer for AccountMailer {
    async fn send(&self, mail: Mail) -> Result<(), SendError> {
        // Nobody waits for a link as long as a notice may take: a person requests another one.
        let sent = timeout(PROMPT_MAIL_TIMEOUT, self.0.send(mail)).await;
        let sent = sent.unwrap_or_else(|_| {
            let reason = "the mail server did not respond in time".to_owned();
            Err(SendError::Unconfirmed { reason })
        });
        if sent.is_err() {
            metrics::counter!(ACCOUNT_MAILS_FAILED).increment(1);
        }
        sent
    }

    fn preview(&self, content: &MailContent) -> Result<MailPreview, Error> {
        self.0.preview(content)
    }
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

/// Replaces the key that signs tokens. A server may be running on the same database. Returns the
/// new key's name.
pub(crate) async fn rotate_keys(settings: &Settings) -> Result<String, String> {
    if settings.clerk.application()?.is_some() {
        return Err("people sign in with Clerk: rotate the keys in Clerk's dashboard".to_owned());
    }
    connect::require_database(settings)?;
    connect::with_database(settings, async |database, clock| {
        let key = secrets::rotate(database, &**clock)
            .await
            .map_err(|error| with_causes(&error))?;
        record_new_key(&key);
        Ok(key)
    })
    .await
}

/// Invites a person. A server may be running on the same database. Returns the invitation, also if
/// its mail could not be sent.
pub(crate) async fn invite(
    settings: &Settings,
    address: String,
) -> Result<StoredInvitation, String> {
    if settings.clerk.application()?.is_some() {
        return Err("people sign in with Clerk: invite them in Clerk's dashboard".to_owned());
    }
    connect::with_database(settings, async |database, clock| {
        let mail = CommandMail::load(settings, database, clock).await?;
        let store = Arc::new(database.clone());
        let factors = Arc::clone(&store) as _;
        let clock = Arc::clone(clock);
        let invitations =
            Invitations::new(store, factors, mail.mailer, mail.budget, clock, mail.links);
        let stored = invitations
            .admit(AddressDraft { email: address }, None)
            .await;
        let stored = stored.map_err(|error| match error {
            Error::Invalid(invalid) => invalid.errors.first().map_or_else(
                || invalid.to_string(),
                |first| format!("{}: {}", first.field, first.message),
            ),
            error => with_causes(&error),
        })?;
        SecurityRecord {
            object: Some(&stored.invitation.id),
            ..SecurityRecord::new(SecurityEvent::Invited)
        }
        .write();
        Ok(stored)
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
    let mail = CommandMail::load(settings, database, clock).await?;
    let (clock, background) = (Arc::clone(clock), background.clone());
    Ok(SecurityMails::new(
        mail.mailer,
        mail.budget,
        clock,
        background,
        mail.links,
    ))
}

/// What a command needs to send mail.
struct CommandMail {
    mailer: Arc<dyn Mailer>,
    budget: Arc<MailBudget>,
    links: Links,
}

impl CommandMail {
    async fn load(
        settings: &Settings,
        database: &Database,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let public_url = settings.public_url(settings.listen.port());
        let mailer = mail::mailer(settings, &public_url, clock)?;
        let hmac_key = Installation::load(database, &**clock).await?.hmac_key;
        let store = Arc::new(database.clone());
        Ok(Self {
            mailer,
            budget: mail_budget(settings, store, Arc::clone(clock), &hmac_key),
            links: Links::new(&public_url),
        })
    }
}
