//! Responses of handlers.

pub(crate) mod api_response;
pub(crate) mod csv_line;
pub(crate) mod problem;
