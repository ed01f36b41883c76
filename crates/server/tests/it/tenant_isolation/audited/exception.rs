//! Calls that may write and leave no item, with the reason.

/// Method, path and reason.
pub(super) const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "post",
        "/clerk/webhooks",
        "Exists with Clerk only; its items are tested in it/clerk/webhook.rs",
    ),
    (
        "post",
        "/identity/invitations/inspect",
        "Reads; the token is a secret and stays out of addresses",
    ),
    (
        "post",
        "/identity/oidc/{provider}/start",
        "Begins a sign-in in a cookie; the callback's item is tested in it/openid/sign_in.rs",
    ),
    (
        "post",
        "/identity/oidc/{provider}/re-authenticate",
        "Begins a re-authentication in a cookie",
    ),
    (
        "delete",
        "/identity/organisations/{id}",
        "Deletes the organisation with its audit log",
    ),
    (
        "post",
        "/identity/password-reset",
        "Mails a link to the address; nothing changes until it is followed",
    ),
    (
        "post",
        "/identity/re-authenticate",
        "Renews the caller's own session; a refusal is in the security log",
    ),
    (
        "post",
        "/identity/re-authenticate/passkey",
        "Renews the caller's own session; a refusal is in the security log",
    ),
    (
        "post",
        "/identity/re-authenticate/passkey/options",
        "Makes a challenge, which is kept in a cookie",
    ),
    (
        "post",
        "/identity/session/second-factor",
        "Renews the caller's own session; a refusal is in the security log",
    ),
    (
        "post",
        "/identity/sign-in/passkey/options",
        "Makes a challenge, which is kept in a cookie",
    ),
    (
        "post",
        "/identity/user/passkeys/options",
        "Makes a challenge, which is kept in a cookie",
    ),
    (
        "post",
        "/identity/token",
        "Issues a token of five minutes for a session that is in the log",
    ),
    (
        "post",
        "/identity/user/address",
        "Mails a link; the address is the old one until it is followed",
    ),
    (
        "post",
        "/identity/user/totp",
        "Shows a secret; it is no factor until a code confirms it",
    ),
    (
        "delete",
        "/identity/waitlist/{id}",
        "Concerns the installation and no organisation",
    ),
    (
        "post",
        "/identity/waitlist/{id}/invite",
        "Concerns the installation and no organisation",
    ),
    (
        "post",
        "/incident/{id}/review/preview",
        "Shows a text as HTML",
    ),
    (
        "post",
        "/subscriber/public",
        "What visitors do is not in the log",
    ),
    (
        "post",
        "/subscriber/subscription",
        "Reads; the code is a secret and stays out of addresses",
    ),
    (
        "patch",
        "/subscriber/subscription",
        "What visitors do is not in the log",
    ),
    (
        "post",
        "/subscriber/unsubscribe",
        "What visitors do is not in the log",
    ),
    (
        "post",
        "/subscriber/unsubscribe/one-click",
        "What visitors do is not in the log",
    ),
    (
        "post",
        "/subscriber/verify",
        "What visitors do is not in the log",
    ),
    (
        "post",
        "/subscriber/{id}/rotate-secret",
        "Needs a confirmed webhook: see it/channel/rotation.rs",
    ),
    (
        "post",
        "/subscriber/{id}/test",
        "Sends a message and stores nothing",
    ),
    (
        "post",
        "/subscriber/{id}/verification",
        "Sends a message; until when the subscriber is kept is in no state",
    ),
];

/// Whether a call is an exception.
pub(super) fn is_exception(method: &str, path: &str) -> bool {
    let mut exceptions = EXCEPTIONS.iter();
    exceptions.any(|exception| (exception.0, exception.1) == (method, path))
}
