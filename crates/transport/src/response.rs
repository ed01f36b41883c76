//! What handlers answer with.

pub(crate) mod api_response;
pub(crate) mod csv_line;
pub(crate) mod problem;
