//! The signed-in account, and the response that signs it in.

use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use allclear_application::account::SignedIn;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_application::session::Sessions;
use allclear_domain::account::User;
use serde::Serialize;
use utoipa::ToSchema;

use super::cookie::{Cookies, marks, presented};
use crate::response::api_response::ApiResponse;
use crate::response::problem::Problem;
use crate::server::security_log::record;

/// An account.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserBody {
    /// Identifier, a `UUIDv7`.
    id: String,
    name: String,
    email: String,
    /// Whether the account administers the installation.
    administrator: bool,
    /// Whether the account must confirm a new mail address before it can be used, because an older
    /// account has its address.
    needs_address: bool,
}

impl From<&User> for UserBody {
    fn from(user: &User) -> Self {
        let (id, name, email) = (user.id.to_string(), user.name.clone(), user.email.clone());
        Self {
            id,
            name,
            email,
            administrator: user.administrator,
            needs_address: user.needs_address,
        }
    }
}

/// A signed-in account.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SignedInBody {
    pub(super) user: UserBody,
}

/// A response with the cookie of the new session. It ends the session that the browser had before
/// (OWASP ASVS 5.0, 7.2.4).
pub(super) async fn sign_in_response(
    mut response: HttpResponseBuilder,
    request: &HttpRequest,
    sessions: &Sessions,
    cookies: Cookies,
    signed_in: &SignedIn,
) -> Result<HttpResponse, Problem> {
    if let Some(before) = presented(request) {
        sessions.sign_out(&before).await?;
    }
    let event = SecurityRecord {
        subject: Some(&signed_in.user.id),
        ..SecurityRecord::new(SecurityEvent::SignedIn)
    };
    record(request, event);
    let body = ApiResponse::new(SignedInBody {
        user: UserBody::from(&signed_in.user),
    });
    Ok(response
        .cookie(cookies.session(&signed_in.token))
        .cookie(cookies.device(marks(request), &signed_in.device_mark))
        .json(body))
}
