//! The switch that turns passwords off.

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::middleware::Next;
use actix_web::{Error, ResponseError, web};

use crate::response::problem::Problem;

/// Whether people may sign in with a password.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasswordsAllowed(pub(crate) bool);

impl PasswordsAllowed {
    /// Fails if passwords are switched off.
    pub(crate) fn check(self) -> Result<(), Problem> {
        if self.0 {
            return Ok(());
        }
        let text = "Passwords are switched off here. Please sign in with your identity provider";
        Err(Problem::new(StatusCode::FORBIDDEN, text))
    }
}

/// The routes that make, use or change a password, without `/api/v1/identity`.
const ROUTES: [&str; 8] = [
    "/sign-up",
    "/sign-up/confirm",
    "/sign-in",
    "/sign-in/code",
    "/password-reset",
    "/password-reset/confirm",
    "/user/password",
    "/re-authenticate",
];

/// Refuses requests for passwords if they are switched off.
pub(crate) async fn check_passwords(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody>>, Error> {
    let allowed = request.app_data::<web::Data<PasswordsAllowed>>();
    match allowed.map_or(Ok(()), |allowed| allowed.check()) {
        Err(refused) if needs_password(&request) => {
            // A response, not an error: the outer middleware adds headers to responses only.
            let response = request.into_response(refused.error_response());
            Ok(response.map_into_right_body())
        }
        _ => {
            let response = next.call(request).await;
            response.map(ServiceResponse::map_into_left_body)
        }
    }
}

fn needs_password(request: &ServiceRequest) -> bool {
    // The path as the router reads it: with percent-encoded letters decoded.
    let path = request.match_info().as_str();
    let route = path.split_once("/identity").map(|(_, route)| route);
    route.is_some_and(|route| ROUTES.contains(&route))
}
