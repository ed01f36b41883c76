//! The public keys that verify bearer tokens.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use allclear_application::session::Sessions;

use crate::response::problem::Problem;

/// `GET /.well-known/jwks.json` (RFC 7517, section 5).
pub(crate) async fn key_set(sessions: web::Data<Sessions>) -> Result<HttpResponse, Problem> {
    let keys = sessions.key_set()?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "public, max-age=300"))
        .json(keys))
}
