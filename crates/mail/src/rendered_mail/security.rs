//! Mails about the security of an account.

use allclear_application::security_mail::{SecurityChange, SecurityNotice};
use askama::Template;

use super::RenderedMail;

#[derive(Template)]
#[template(path = "security.txt", escape = "none")]
struct SecurityText<'a> {
    mail: &'a SecurityMail<'a>,
}

#[derive(Template)]
#[template(path = "security.html")]
struct SecurityHtml<'a> {
    mail: &'a SecurityMail<'a>,
}

/// A notice as both templates show it.
pub(super) struct SecurityMail<'a> {
    notice: &'a SecurityNotice,
}

impl<'a> SecurityMail<'a> {
    pub(super) const fn new(notice: &'a SecurityNotice) -> Self {
        Self { notice }
    }

    pub(super) fn render(&self) -> Result<RenderedMail, askama::Error> {
        RenderedMail::render(
            self.subject().to_owned(),
            &SecurityText { mail: self },
            &SecurityHtml { mail: self },
            // The link leads to the page where a password reset is requested. It contains no code,
            // so the log does not need it.
            Vec::new(),
        )
    }

    const fn subject(&self) -> &'static str {
        match self.notice.change {
            SecurityChange::SignedIn => "New sign-in to your account",
            SecurityChange::PasswordChanged => "Your password was changed",
            SecurityChange::AddressChanged => "The address of your account was changed",
            SecurityChange::AuthenticatorAdded => "An authenticator app was added to your account",
            SecurityChange::AuthenticatorRemoved => {
                "The authenticator app of your account was removed"
            }
            SecurityChange::PasskeyAdded => "A passkey was added to your account",
            SecurityChange::PasskeyRemoved => "A passkey of your account was removed",
            SecurityChange::PasskeyCopied { .. } => {
                "A passkey of your account may have been copied"
            }
            SecurityChange::RecoveryCodeUsed { .. } => "A recovery code of your account was used",
            SecurityChange::RecoveryCodesReplaced => {
                "The recovery codes of your account were replaced"
            }
            SecurityChange::FactorsReset => "The second factors of your account were removed",
            SecurityChange::ApiKeyCreated { .. } => "You created an API key",
        }
    }

    fn sentence(&self) -> String {
        match &self.notice.change {
            SecurityChange::SignedIn => {
                "Somebody signed in to your account from a browser that was not used for it before, or not since its password was changed."
                    .to_owned()
            }
            SecurityChange::PasswordChanged => {
                "The password of your account was changed. All other sessions have ended."
                    .to_owned()
            }
            SecurityChange::AddressChanged => {
                "Your account has another mail address now, which receives its mails. All other sessions have ended."
                    .to_owned()
            }
            SecurityChange::AuthenticatorAdded => {
                "An authenticator app is the second factor of your account now. All other sessions have ended."
                    .to_owned()
            }
            SecurityChange::AuthenticatorRemoved => {
                "Your account has no authenticator app any more.".to_owned()
            }
            SecurityChange::PasskeyAdded => {
                "Your account has a new passkey, which is enough to sign in. All other sessions have ended."
                    .to_owned()
            }
            SecurityChange::PasskeyRemoved => {
                "A passkey of your account was removed, and nobody can sign in with it any more."
                    .to_owned()
            }
            SecurityChange::PasskeyCopied { name } => {
                format!(
                    "A sign-in with your passkey \"{name}\" was refused: its counter went back, so a copy of the passkey may \
                     exist. If you did not restore the passkey from a backup, remove it from your account."
                )
            }
            SecurityChange::RecoveryCodeUsed { left } => {
                let left = if *left == 1 {
                    "1 code is left".to_owned()
                } else {
                    format!("{left} codes are left")
                };
                format!("A recovery code of your account was used. {left}.")
            }
            SecurityChange::RecoveryCodesReplaced => {
                "The recovery codes of your account were replaced. The old ones do not work any more."
                    .to_owned()
            }
            SecurityChange::FactorsReset => {
                "An operator of this installation removed all second factors of your account, also its passkeys. \
                 All sessions have ended."
                    .to_owned()
            }
            SecurityChange::ApiKeyCreated { name } => {
                format!("An API key was created with your account. Its name is: {name}")
            }
        }
    }

    /// What the owner of the account does after a change of the owner's own.
    const fn own_advice(&self) -> &'static str {
        match self.notice.change {
            SecurityChange::PasswordChanged => {
                "If it was you, check the passkeys and second factors in your profile, and the API keys of your organisations: a new \
                 password removes none that somebody else has added."
            }
            _ => "If it was you, you need not do anything.",
        }
    }

    /// What the owner of the account does if somebody else made the change. A new password ends the
    /// other sessions, but neither a key nor a second factor that somebody has added.
    const fn advice(&self) -> &'static str {
        match self.notice.change {
            SecurityChange::SignedIn | SecurityChange::PasswordChanged => {
                "If it was not you, choose a new password at once. Then remove what you did not add: passkeys and second factors in \
                 your profile, and API keys in the settings of your organisations."
            }
            SecurityChange::AddressChanged => {
                "If it was not you, ask an admin of your organisation at once to remove the account: this address does not lead to a \
                 new password any more. If you are the only admin, sign up again, and ask the operator of this installation to run \
                 \"allclear user make-admin\"."
            }
            SecurityChange::AuthenticatorAdded => {
                "If it was not you, choose a new password at once. Then remove the authenticator app in your profile: a new password \
                 does not remove it. If you cannot sign in, ask the operator of this installation to run \
                 \"allclear user reset-factors\"."
            }
            SecurityChange::PasskeyAdded => {
                "If it was not you, choose a new password at once. Then remove the passkey in your profile: a new password does not \
                 remove it. If you cannot sign in, ask the operator of this installation to run \"allclear user reset-factors\"."
            }
            SecurityChange::AuthenticatorRemoved => {
                "If it was not you, choose a new password at once. Then add an authenticator app in your profile again."
            }
            SecurityChange::PasskeyRemoved => {
                "If it was not you, choose a new password at once. Then look at the second factors in your profile."
            }
            SecurityChange::PasskeyCopied { .. } => {
                "If it was not you, remove the passkey in your profile at once: a new password does not remove it. Then choose a new \
                 password."
            }
            SecurityChange::RecoveryCodeUsed { .. } => {
                "If it was not you, choose a new password at once. Then replace the recovery codes in your profile."
            }
            SecurityChange::RecoveryCodesReplaced => {
                "If it was not you, choose a new password at once. Then replace the recovery codes in your profile again. If you \
                 cannot sign in, ask the operator of this installation to run \"allclear user reset-factors\"."
            }
            SecurityChange::FactorsReset => {
                "If you did not ask for it, choose a new password at once, and tell the operator of this installation."
            }
            SecurityChange::ApiKeyCreated { .. } => {
                "If it was not you, revoke the key in the settings of the organisation at once: a new password does not revoke it. \
                 Then choose a new password."
            }
        }
    }

    /// Time, device and address, one per line.
    fn details(&self) -> Vec<String> {
        let time = self.notice.at.format("%-d %B %Y, %H:%M UTC");
        let mut details = vec![format!("Time: {time}")];
        if let Some(device) = &self.notice.client.device {
            details.push(format!("Device: {device}"));
        }
        if let Some(address) = &self.notice.client.address {
            details.push(format!("Address: {address}"));
        }
        details
    }

    /// URL at which a password reset is requested; `None` if the recipient's address leads to none
    /// any more.
    fn reset(&self) -> Option<&str> {
        let leads_to_reset = self.notice.change != SecurityChange::AddressChanged;
        leads_to_reset.then_some(self.notice.reset.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allclear_application::session::Client;
    use chrono::DateTime;

    fn rendered(change: SecurityChange, client: Client) -> RenderedMail {
        let notice = SecurityNotice {
            change,
            at: DateTime::from_timestamp(1_700_000_000, 0).unwrap(),
            client,
            reset: "https://status.example.com/login?forgot".into(),
        };
        SecurityMail::new(&notice).render().unwrap()
    }

    fn firefox() -> Client {
        Client {
            device: Some("Firefox on Linux".into()),
            address: Some([192, 0, 2, 1].into()),
            marks: Vec::new(),
        }
    }

    #[test]
    fn a_security_mail_names_time_device_address_and_the_password_reset() {
        let mail = rendered(SecurityChange::SignedIn, firefox());
        assert_eq!(mail.subject, "New sign-in to your account");
        for body in [&mail.text, &mail.html] {
            for part in [
                "Time: 14 November 2023, 22:13 UTC",
                "Device: Firefox on Linux",
                "Address: 192.0.2.1",
                "https://status.example.com/login?forgot",
            ] {
                assert!(body.contains(part), "{part}: {body}");
            }
        }
    }

    #[test]
    fn unknown_details_are_left_out() {
        let mail = rendered(SecurityChange::PasswordChanged, Client::default());
        assert!(!mail.text.contains("Device") && !mail.text.contains("Address"));
    }

    #[test]
    fn advice_names_what_a_new_password_does_not_end() {
        let operator = "allclear user reset-factors";
        let key = SecurityChange::ApiKeyCreated { name: "CI".into() };
        let copied = SecurityChange::PasskeyCopied {
            name: "Phone".into(),
        };
        for (change, advice) in [
            (
                SecurityChange::AuthenticatorAdded,
                "remove the authenticator app",
            ),
            (SecurityChange::AuthenticatorAdded, operator),
            (SecurityChange::PasskeyAdded, "remove the passkey"),
            (SecurityChange::PasskeyAdded, operator),
            (copied, "remove the passkey in your profile"),
            (SecurityChange::RecoveryCodesReplaced, operator),
            (key, "revoke the key in the settings"),
        ] {
            let mail = rendered(change, firefox());
            for part in [&mail.text, &mail.html] {
                assert!(
                    part.contains(advice) && part.contains("hoose a new password"),
                    "{advice}: {part}"
                );
            }
        }
    }

    #[test]
    fn mail_about_a_password_or_a_sign_in_says_to_check_what_stays() {
        let changed = rendered(SecurityChange::PasswordChanged, firefox());
        let signed_in = rendered(SecurityChange::SignedIn, firefox());
        for (changed, signed_in) in [
            (changed.text, signed_in.text),
            (changed.html, signed_in.html),
        ] {
            let own = "If it was you, check the passkeys and second factors in your profile, and the API keys";
            assert!(changed.contains(own), "{changed}");
            let nothing = "If it was you, you need not do anything.";
            assert!(signed_in.contains(nothing), "{signed_in}");
            for mail in [changed, signed_in] {
                for part in [
                    "passkeys and second factors in your profile",
                    "API keys in the settings",
                ] {
                    assert!(mail.contains(part), "{part}: {mail}");
                }
            }
        }
    }

    #[test]
    fn mail_to_a_former_address_offers_no_password_reset() {
        let mail = rendered(SecurityChange::AddressChanged, firefox());
        for body in [&mail.text, &mail.html] {
            assert!(
                body.contains("remove the account") && body.contains("Device: Firefox on Linux"),
                "{body}"
            );
            assert!(!body.contains("login?forgot"), "{body}");
        }
    }

    #[test]
    fn the_number_of_recovery_codes_that_are_left_is_named() {
        for (left, words) in [
            (0, "0 codes are left"),
            (1, "1 code is left"),
            (9, "9 codes are left"),
        ] {
            let mail = rendered(SecurityChange::RecoveryCodeUsed { left }, firefox());
            assert!(mail.text.contains(words), "{}", mail.text);
        }
    }

    #[test]
    fn every_change_has_a_subject_of_its_own() {
        let changes = [
            SecurityChange::SignedIn,
            SecurityChange::PasswordChanged,
            SecurityChange::AddressChanged,
            SecurityChange::AuthenticatorAdded,
            SecurityChange::AuthenticatorRemoved,
            SecurityChange::PasskeyAdded,
            SecurityChange::PasskeyRemoved,
            SecurityChange::PasskeyCopied {
                name: "Phone".into(),
            },
            SecurityChange::RecoveryCodeUsed { left: 3 },
            SecurityChange::RecoveryCodesReplaced,
            SecurityChange::FactorsReset,
            SecurityChange::ApiKeyCreated { name: "CI".into() },
        ];
        let mut subjects: Vec<_> = changes
            .into_iter()
            .map(|change| rendered(change, firefox()).subject)
            .collect();
        let count = subjects.len();
        subjects.sort_unstable();
        subjects.dedup();
        assert_eq!(subjects.len(), count);
    }
}
