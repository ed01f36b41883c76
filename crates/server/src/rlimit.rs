//! How many files this process may have open. Each viewer's connection is two: the HTTP server's handle, and the one by which
//! the connection is ended when its client does not go on.

/// Raises the limit as far as the system lets a process raise it by itself: shells and services start with 1,024, of which
/// a status page that everybody looks at has need of many times as many.
pub(crate) fn raise() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => tracing::debug!(limit, "open files"),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the limit of open files stays as it is"
            );
        }
    }
}

/// How many files the process may have open now; 0 where that is not known.
pub(crate) fn limit() -> usize {
    rlimit::Resource::NOFILE
        .get_soft()
        .ok()
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(0)
}
