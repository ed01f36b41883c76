//! What handlers read from a request.

pub(crate) mod body;
pub(crate) mod caller;
pub(crate) mod device;
pub(crate) mod field;
pub(crate) mod idempotency;
pub(crate) mod if_match;
pub(crate) mod page_query;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod service;
