//! Reasons to leave no item in an audit log.

/// Why a write transaction leaves no item. Each call of
/// [`Database::write_unaudited`](crate::database::Database::write_unaudited) names one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAuditItem {
    /// Nothing is changed, because the thing is missing or is so already.
    Unchanged,
    /// A commit of a revision in the same transaction stores the item.
    OfCommit,
    /// The change concerns no organisation: the keys of the installation, its waitlist, and
    /// accounts without membership.
    OfInstallation,
    /// The organisation is deleted with its audit log.
    OrganisationDeleted,
    /// No operator changes a subscription, but a visitor on the public page, the command line or
    /// the scheduler.
    ByNoOperator,
    /// A step of a sign-in, a sign-up or another confirmation: a link, a challenge, a used code.
    /// The change that it leads to has an item.
    Step,
    /// The caller's own session is used, renewed or proven; its begin and its end have items.
    OwnSession,
    /// A hosted identity provider reports a name, or that tokens ended, which is in the
    /// security log.
    Directory,
    /// Progress of messages and mails.
    Delivery,
    /// Maintenance by the product itself: removal of expired rows, counters, times of last use,
    /// stronger hashes of the same passwords.
    Upkeep,
}
