//! Identifiers in paths.

use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::problem::Problem;

/// The path's `{id}`. What cannot be an identifier names nothing, so it is not found.
#[derive(Debug, Clone)]
pub(crate) struct Id<T>(pub T);

/// The path's `{update_id}`, likewise.
#[derive(Debug, Clone)]
pub(crate) struct UpdateId<T>(pub T);

impl<T: FromStr> FromRequest for Id<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(request, "id").map(Self))
    }
}

impl<T: FromStr> FromRequest for UpdateId<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(request, "update_id").map(Self))
    }
}

fn segment<T: FromStr>(request: &HttpRequest, name: &str) -> Result<T, Problem> {
    request
        .match_info()
        .get(name)
        .and_then(|text| text.parse().ok())
        .ok_or_else(Problem::not_found)
}
