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
            // The link leads to the page where a password reset is requested. It contains no code, so the log does not
            // need it.
            Vec::new(),
        )
    }

    const fn subject(&self) -> &'static str {
        match self.notice.change {
            SecurityChange::SignedIn => "New sign-in to your account",
            SecurityChange::PasswordChanged => "Your password was changed",
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
                "Somebody signed in to your account from a browser that was not used for it before."
                    .to_owned()
            }
            SecurityChange::PasswordChanged => {
                "The password of your account was changed. All other sessions have ended."
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

    fn reset(&self) -> &str {
        &self.notice.reset
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
