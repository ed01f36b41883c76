//! Limit of open file descriptors, of which each connection uses one.

/// Raises the soft limit to the hard limit. Shells and services start with a soft limit of 1,024,
/// too few for a busy page.
pub(crate) fn raise() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => tracing::debug!(limit, "open files"),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the limit of open files could not be raised"
            );
        }
    }
}

/// Current limit; `None` if it is unknown.
pub(crate) fn limit() -> Option<usize> {
    let limit = rlimit::Resource::NOFILE.get_soft().ok()?;
    usize::try_from(limit).ok()
}
