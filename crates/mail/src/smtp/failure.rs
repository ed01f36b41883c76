//! Reasons why the server did not accept a message, and whether the operator or the recipient is
//! the cause.

use std::error::Error as StdError;
use std::io;

use allclear_application::mail::SendError;
use lettre::transport::smtp::Error;

use crate::rendered_mail::one_line;

/// Maximum length of a reason, in characters.
const MAX_LENGTH: usize = 300;

/// Parts of replies, in lower case, by which servers refuse the client or the sender only after a
/// recipient or the message.
const SENDER_REFUSED: [&str; 16] = [
    // Postfix, Exim, Sendmail and Exchange do not relay for this client.
    "relay access denied",
    "relay not permitted",
    "relaying denied",
    "relaying not allowed",
    "unable to relay",
    // Google Workspace.
    "credentials for relay",
    "mail relay denied",
    "smtp relay limit",
    // Postfix checks the client, its name in EHLO and the sender at the recipient.
    "client host rejected",
    "helo command rejected",
    "sender address rejected",
    // Exim.
    "sender verify fail",
    // Amazon SES, SendGrid and Microsoft 365.
    "address is not verified",
    "sender identity",
    "send as this sender",
    "sendasdenied",
];

/// Stage of the SMTP dialogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Connect, greeting and encryption.
    Connect,
    /// Sign-in.
    Login,
    /// `MAIL FROM`.
    From,
    /// `RCPT TO`.
    To,
    /// `DATA` and the message.
    Message,
}

/// A message that was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) stage: Stage,
    /// The reply code (RFC 5321, section 4.2); `None` if there was no reply.
    pub(super) code: Option<u16>,
    /// One line.
    pub(super) reason: String,
}

impl Failure {
    pub(super) fn new(stage: Stage, error: &Error) -> Self {
        let code = error.status().map(u16::from);
        // The text of a reply is the error's source.
        let reason = match (code, error.source()) {
            (Some(code), Some(text)) => format!("{code} {text}"),
            (Some(code), None) => code.to_string(),
            (None, _) => error.to_string(),
        };
        Self {
            stage,
            code,
            reason: shortened(&reason),
        }
    }

    /// The server cannot be reached.
    pub(super) fn unreachable(error: &io::Error) -> Self {
        Self {
            stage: Stage::Connect,
            code: None,
            reason: shortened(&format!("Connection error: {error}")),
        }
    }

    /// There is a reply that no command has requested.
    pub(super) fn out_of_order() -> Self {
        Self {
            stage: Stage::Connect,
            code: None,
            reason: "the mail server sent a reply before its encryption".to_owned(),
        }
    }

    /// The server did not reply in time.
    pub(super) fn late(stage: Stage) -> Self {
        Self {
            stage,
            code: None,
            reason: "the mail server did not respond in time".to_owned(),
        }
    }

    /// Whether the server had closed the connection before the message was sent.
    pub(super) fn is_stale(&self) -> bool {
        self.stage == Stage::From && matches!(self.code, None | Some(421))
    }

    /// Whether the connection can be used for the next message.
    pub(super) fn leaves_connection(&self) -> bool {
        self.code.is_some_and(|code| code != 421)
    }

    /// Whether the server refused the sender instead of the recipient or the message. Only the
    /// operator can mend that, and no mail may be given up for it.
    pub(super) fn is_of_sender(&self) -> bool {
        let Some(code) = self.code else {
            return self.stage == Stage::Login;
        };
        match self.stage {
            Stage::Connect | Stage::Login | Stage::From => code >= 500,
            Stage::To | Stage::Message => {
                // The server requires a sign-in (RFC 4954, section 6).
                matches!(code, 530 | 534 | 535 | 538)
                    || (code >= 500 && refuses_sender(&self.reason))
            }
        }
    }
}

/// Whether a reply refuses the sender, by its text without addresses: a recipient may be
/// called `relay`.
fn refuses_sender(reply: &str) -> bool {
    let reply = reply.to_lowercase();
    let mut parts = reply.split('<');
    let first = parts.next().unwrap_or_default();
    let rest = parts.filter_map(|part| part.split_once('>').map(|(_, after)| after));
    let text: String = std::iter::once(first).chain(rest).collect();
    SENDER_REFUSED.iter().any(|phrase| text.contains(phrase))
}

/// A text as one line of limited length.
fn shortened(text: &str) -> String {
    one_line(text).chars().take(MAX_LENGTH).collect()
}

impl From<Failure> for SendError {
    fn from(failure: Failure) -> Self {
        let permanent = failure.code.is_some_and(|code| code >= 500) && !failure.is_of_sender();
        let reason = failure.reason;
        if permanent {
            Self::Permanent { reason }
        } else {
            Self::Temporary { reason }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(stage: Stage, code: Option<u16>, reason: &str) -> Failure {
        Failure {
            stage,
            code,
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn errors_of_the_recipient_are_permanent_and_others_temporary() {
        for (stage, code, reason, permanent) in [
            (Stage::Connect, None, "connection refused", false),
            (Stage::Connect, Some(554), "554 no service here", false),
            (Stage::Login, Some(535), "535 wrong password", false),
            (Stage::From, Some(550), "550 not your address", false),
            (Stage::To, Some(550), "550 5.1.1 no such user", true),
            (Stage::To, Some(450), "450 mailbox busy", false),
            (Stage::To, Some(554), "554 5.7.1 Relay access denied", false),
            (Stage::To, Some(530), "530 authentication required", false),
            (
                Stage::To,
                Some(550),
                "550-5.7.1 Invalid credentials for relay [192.0.2.1].",
                false,
            ),
            (
                Stage::To,
                Some(550),
                "550 5.1.1 <relaying denied@relay.example>: User unknown",
                true,
            ),
            (
                Stage::To,
                Some(553),
                "553 5.7.1 <a@b.example>: Sender address rejected: not owned by user c",
                false,
            ),
            (
                Stage::To,
                Some(504),
                "504 5.5.2 <3f2a1b>: Helo command rejected: need fully-qualified hostname",
                false,
            ),
            (
                Stage::Message,
                Some(550),
                "550 The from address does not match a verified Sender Identity",
                false,
            ),
            (
                Stage::Message,
                Some(554),
                "554 Message rejected: Email address is not verified.",
                false,
            ),
            (
                Stage::Message,
                Some(550),
                "550 5.7.60 Client does not have permissions to send as this sender",
                false,
            ),
            (Stage::Message, Some(554), "554 looks like spam", true),
            (Stage::Message, Some(452), "452 disk full", false),
            (Stage::Message, None, "incomplete response", false),
        ] {
            let error = SendError::from(failure(stage, code, reason));
            assert_eq!(
                matches!(error, SendError::Permanent { .. }),
                permanent,
                "{reason}"
            );
            assert_eq!(error.to_string(), reason);
        }
    }

    #[test]
    fn a_connection_is_used_again_after_a_reply_but_not_after_a_farewell() {
        assert!(failure(Stage::To, Some(550), "").leaves_connection());
        assert!(!failure(Stage::To, Some(421), "").leaves_connection());
        assert!(!failure(Stage::To, None, "").leaves_connection());
        assert!(
            failure(Stage::From, None, "").is_stale()
                && failure(Stage::From, Some(421), "").is_stale()
        );
        assert!(
            !failure(Stage::From, Some(450), "").is_stale()
                && !failure(Stage::To, None, "").is_stale()
        );
    }
}
