//! Responses of handlers.

pub(crate) mod api_response;
pub(crate) mod csv_line;
pub(crate) mod file_download;
pub(crate) mod problem;
