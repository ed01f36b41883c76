//! Why the server did not take a message, and whose matter that is.

use std::error::Error as StdError;
use std::io;

use allclear_application::mail::SendError;
use lettre::transport::smtp::Error;

use crate::rendered_mail::one_line;

/// The longest reason, in characters: a server may say a lot.
const LONGEST: usize = 300;

/// Where in the conversation it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Connecting, greeting, encrypting.
    Connect,
    /// Signing in.
    Login,
    /// Naming our address.
    From,
    /// Naming the recipient's.
    To,
    /// Handing the message over.
    Message,
}

/// A message that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) stage: Stage,
    /// The reply code (RFC 5321, section 4.2), where there was a reply.
    pub(super) code: Option<u16>,
    /// One line.
    pub(super) reason: String,
}

impl Failure {
    pub(super) fn new(stage: Stage, error: &Error) -> Self {
        let code = error.status().map(u16::from);
        // What a reply says is the error's source; without one the error says it all.
        let said = match (code, error.source()) {
            (Some(code), Some(text)) => format!("{code} {text}"),
            (Some(code), None) => code.to_string(),
            (None, _) => error.to_string(),
        };
        Self {
            stage,
            code,
            reason: short(&said),
        }
    }

    /// There is no connection to the server.
    pub(super) fn unreachable(error: &io::Error) -> Self {
        Self {
            stage: Stage::Connect,
            code: None,
            reason: short(&format!("Connection error: {error}")),
        }
    }

    /// The server said nothing for so long.
    pub(super) fn late(stage: Stage) -> Self {
        Self {
            stage,
            code: None,
            reason: "the mail server did not answer in time".to_owned(),
        }
    }

    /// Whether the connection was no longer one when the message was begun: the server had closed it, or did so now.
    pub(super) fn is_stale(&self) -> bool {
        self.stage == Stage::From && matches!(self.code, None | Some(421))
    }

    /// Whether the connection can be used for the next message.
    pub(super) fn leaves_connection(&self) -> bool {
        self.code.is_some_and(|code| code != 421)
    }

    /// Whether the server refused us rather than the recipient or the message: nobody but the operator can help, and no mail
    /// is to be given up for it.
    pub(super) fn is_ours(&self) -> bool {
        let Some(code) = self.code else {
            return self.stage == Stage::Login;
        };
        match self.stage {
            Stage::Connect | Stage::Login | Stage::From => code >= 500,
            // Sign-in is asked for (RFC 4954, section 6), or we may not send through this server to others: the words are
            // those of Postfix, Exim, Sendmail and Exchange.
            Stage::To => {
                matches!(code, 530 | 534 | 535 | 538)
                    || (code >= 500 && self.reason.to_lowercase().contains("relay"))
            }
            Stage::Message => matches!(code, 530 | 534 | 535 | 538),
        }
    }
}

/// One line of it, and not too long.
fn short(said: &str) -> String {
    one_line(said).chars().take(LONGEST).collect()
}

impl From<Failure> for SendError {
    fn from(failure: Failure) -> Self {
        let permanent = failure.code.is_some_and(|code| code >= 500) && !failure.is_ours();
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
    fn what_is_the_recipients_is_permanent_and_the_rest_is_temporary() {
        for (stage, code, reason, permanent) in [
            (Stage::Connect, None, "connection refused", false),
            (Stage::Connect, Some(554), "554 no service here", false),
            (Stage::Login, Some(535), "535 wrong password", false),
            (Stage::From, Some(550), "550 not your address", false),
            (Stage::To, Some(550), "550 5.1.1 no such user", true),
            (Stage::To, Some(450), "450 mailbox busy", false),
            (Stage::To, Some(554), "554 5.7.1 Relay access denied", false),
            (Stage::To, Some(530), "530 authentication required", false),
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
