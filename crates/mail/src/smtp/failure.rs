//! Reasons why the server did not accept a message, and whether the operator or the recipient is
//! the cause.

use std::error::Error as StdError;
use std::io;

use allclear_application::mail::SendError;
use lettre::transport::smtp::Error;

use crate::rendered_mail::one_line;

/// Maximum length of a reason, in characters.
const MAX_LENGTH: usize = 300;

/// Enhanced status codes (RFC 3463) that are about the mail system or the sender instead of the
/// recipient: subject and details.
const SENDER_CODES: [(u16, &[u16]); 6] = [
    // Address of the sender (section 3.2).
    (1, &[7, 8]),
    // The system is full, accepts no mail or is misconfigured (section 3.4).
    (3, &[1, 2, 5]),
    // The system is congested, or mail loops (section 3.5). Google and Zoho say so beyond a sending
    // limit. 5.4.1 is not in the list: Microsoft 365 says so of an unknown recipient.
    (4, &[5, 6]),
    // Authentication of the sender's domain and host, and floods of mail (IANA's registry).
    (7, &[20, 21, 22, 23, 24, 25, 26, 27, 28]),
    // Limits and blocks of a sender or a tenant at Microsoft 365.
    (1, &[90]),
    (7, &[232, 233, 501, 502, 503, 705, 708, 750]),
];

/// Parts of replies, in lower case, by which servers refuse the client or the sender only after a
/// recipient or the message, without one of [`SENDER_CODES`].
const SENDER_REFUSED: [&str; 22] = [
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
    "blocked using",
    "helo command rejected",
    "sender address rejected",
    // Exim.
    "sender verify fail",
    // Amazon SES, SendGrid and Microsoft 365.
    "address is not verified",
    "sender identity",
    "send as this sender",
    "sendasdenied",
    // Quotas and suspensions of providers.
    "sending limit",
    "sending quota",
    "you have exceeded your",
    "sending paused",
    "sending suspended",
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
    /// `DATA`.
    Data,
    /// The message itself, up to its confirmation.
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
        let reason = if stage == Stage::Message {
            "the mail server did not confirm the message in time"
        } else {
            "the mail server did not respond in time"
        };
        Self {
            stage,
            code: None,
            reason: reason.to_owned(),
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

    /// Whether the server may have accepted the message without saying so.
    fn is_unconfirmed(&self) -> bool {
        self.stage == Stage::Message && self.code.is_none()
    }

    /// Whether the server refused the sender instead of the recipient or the message. Only the
    /// operator can mend that, and no mail may be given up for it.
    pub(super) fn is_of_sender(&self) -> bool {
        let Some(code) = self.code else {
            return self.stage == Stage::Login;
        };
        match self.stage {
            Stage::Connect | Stage::Login | Stage::From => code >= 500,
            Stage::To | Stage::Data | Stage::Message => {
                // The server requires a sign-in (RFC 4954, section 6).
                matches!(code, 530 | 534 | 535 | 538)
                    || (code >= 500
                        && (enhanced_code(&self.reason).is_some_and(is_code_of_sender)
                            || refuses_sender(&self.reason)))
            }
        }
    }
}

/// Subject and detail of the enhanced status code (RFC 3463) that follows the code of a reply;
/// `None` if it has none for a permanent failure.
fn enhanced_code(reply: &str) -> Option<(u16, u16)> {
    let (_, text) = reply.split_at_checked("550 ".len())?;
    let word = text.split_whitespace().next()?.trim_start_matches('#');
    let mut numbers = word.splitn(3, '.').map(|number| number.parse().ok());
    match (numbers.next()??, numbers.next()??, numbers.next()??) {
        (5, subject, detail) => Some((subject, detail)),
        _ => None,
    }
}

/// Whether an enhanced status code is one of [`SENDER_CODES`].
fn is_code_of_sender((subject, detail): (u16, u16)) -> bool {
    SENDER_CODES
        .iter()
        .any(|(of, details)| *of == subject && details.contains(&detail))
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
        let unconfirmed = failure.is_unconfirmed();
        let reason = failure.reason;
        if permanent {
            Self::Permanent { reason }
        } else if unconfirmed {
            Self::Unconfirmed { reason }
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

    /// Replies that tell of the recipient or the message.
    const PERMANENT: &[(Stage, Option<u16>, &str)] = &[
        (Stage::To, Some(550), "550 5.1.1 no such user"),
        (
            Stage::To,
            Some(550),
            "550 5.1.1 <relaying denied@relay.example>: User unknown",
        ),
        (Stage::Message, Some(554), "554 looks like spam"),
        (
            Stage::To,
            Some(550),
            "550 5.4.1 Recipient address rejected: Access denied",
        ),
        (Stage::To, Some(552), "552 5.2.2 Mailbox full"),
    ];

    /// Replies that tell of the sender, the server or the network.
    const TEMPORARY: &[(Stage, Option<u16>, &str)] = &[
        (Stage::Connect, None, "connection refused"),
        (Stage::Connect, Some(554), "554 no service here"),
        (Stage::Login, Some(535), "535 wrong password"),
        (Stage::From, Some(550), "550 not your address"),
        (Stage::To, Some(450), "450 mailbox busy"),
        (Stage::To, Some(554), "554 5.7.1 Relay access denied"),
        (Stage::To, Some(530), "530 authentication required"),
        (
            Stage::To,
            Some(550),
            "550-5.7.1 Invalid credentials for relay [192.0.2.1].",
        ),
        (
            Stage::To,
            Some(553),
            "553 5.7.1 <a@b.example>: Sender address rejected: not owned by user c",
        ),
        (
            Stage::To,
            Some(504),
            "504 5.5.2 <3f2a1b>: Helo command rejected: need fully-qualified hostname",
        ),
        (
            Stage::Message,
            Some(550),
            "550 The from address does not match a verified Sender Identity",
        ),
        (
            Stage::Message,
            Some(554),
            "554 Message rejected: Email address is not verified.",
        ),
        (
            Stage::Message,
            Some(550),
            "550 5.7.60 Client does not have permissions to send as this sender",
        ),
        (Stage::Message, Some(452), "452 disk full"),
        (Stage::Data, None, "incomplete response"),
        // Google, Zoho, Microsoft 365, Amazon SES, Prolateral and Postfix.
        (
            Stage::Message,
            Some(550),
            "550 5.4.5 Daily user sending limit exceeded.",
        ),
        (
            Stage::Data,
            Some(550),
            "550-5.4.5 Daily SMTP relay limit exceeded for user.",
        ),
        (
            Stage::Message,
            Some(550),
            "550 5.4.6 Unusual sending activity detected. Please try after sometime",
        ),
        (
            Stage::Message,
            Some(550),
            "550 5.1.90 You've reached your daily limit for message recipients",
        ),
        (
            Stage::To,
            Some(550),
            "550 5.7.501 Access denied, spam abuse detected",
        ),
        (
            Stage::Message,
            Some(554),
            "554 Sending paused for this account.",
        ),
        (
            Stage::To,
            Some(554),
            "554 5.7.1 <ann@example.com>: You have exceeded your Outmail quota",
        ),
        (
            Stage::To,
            Some(554),
            "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.example",
        ),
    ];

    #[test]
    fn errors_of_the_recipient_are_permanent_and_others_temporary() {
        for (replies, permanent) in [(PERMANENT, true), (TEMPORARY, false)] {
            for (stage, code, reason) in replies {
                let error = SendError::from(failure(*stage, *code, reason));
                let is_permanent = matches!(error, SendError::Permanent { .. });
                assert_eq!(is_permanent, permanent, "{reason}");
                assert_eq!(error.to_string(), *reason);
            }
        }
    }

    #[test]
    fn a_message_without_a_reply_is_unconfirmed() {
        let lost = failure(Stage::Message, None, "incomplete response");
        for failure in [Failure::late(Stage::Message), lost] {
            let error = SendError::from(failure);
            assert!(matches!(error, SendError::Unconfirmed { .. }), "{error:?}");
        }
        let error = SendError::from(Failure::late(Stage::Data));
        assert!(matches!(error, SendError::Temporary { .. }), "{error:?}");
    }

    #[test]
    fn the_enhanced_code_follows_the_code_of_the_reply() {
        for (reply, code) in [
            ("550 5.4.5 Daily limit", Some((4, 5))),
            ("550-5.7.26 This mail", Some((7, 26))),
            ("550 #5.1.0 Address rejected", Some((1, 0))),
            ("550 5.1", None),
            ("550 4.4.5 Busy", None),
            ("550 5.x.1 No", None),
            ("550 No such user", None),
            ("550", None),
        ] {
            assert_eq!(enhanced_code(reply), code, "{reply}");
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
