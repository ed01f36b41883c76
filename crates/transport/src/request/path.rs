//! Identifiers in paths.

use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::response::problem::Problem;

/// The `{id}` of the path; 404 if it is not a valid identifier.
#[derive(Debug, Clone)]
pub(crate) struct Id<T>(pub T);

/// The `{update_id}` of the path; 404 if it is not a valid identifier.
#[derive(Debug, Clone)]
pub(crate) struct UpdateId<T>(pub T);

/// The `{period_id}` of the path; 404 if it is not a valid identifier.
#[derive(Debug, Clone)]
pub(crate) struct PeriodId<T>(pub T);

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

impl<T: FromStr> FromRequest for PeriodId<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(request, "period_id").map(Self))
    }
}

fn segment<T: FromStr>(request: &HttpRequest, name: &str) -> Result<T, Problem> {
    request
        .match_info()
        .get(name)
        .and_then(|text| text.parse().ok())
        .ok_or_else(Problem::not_found)
}
