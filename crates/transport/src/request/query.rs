//! The query of a request.

use actix_web::{HttpRequest, web};
use serde::de::DeserializeOwned;

use crate::response::problem::Problem;

/// Reads the query. 400 if it is not well-formed.
pub(crate) fn query<T: DeserializeOwned>(request: &HttpRequest) -> Result<T, Problem> {
    web::Query::from_query(request.query_string())
        .map(web::Query::into_inner)
        .map_err(|_| malformed())
}

/// The response to a query that is not well-formed, such as one with a parameter twice. It names no
/// field: the query is not read to its end.
pub(crate) fn malformed() -> Problem {
    Problem::bad_request("The query is not well-formed")
}
