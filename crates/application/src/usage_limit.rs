//! Limits of what an account and an organisation may store in a shared installation.

use crate::error::Error;

/// Maximum number of each kind; `None` means no limit. Storage counts in the transaction that
/// adds one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageLimits {
    /// Organisations that an account creates.
    pub organisations: Option<u64>,
    /// Components of an organisation.
    pub components: Option<u64>,
    /// Component groups of an organisation.
    pub groups: Option<u64>,
    /// Subscribers of an organisation, of every status.
    pub subscribers: Option<u64>,
}

/// Number of requests of one organisation that are handled at the same time, beside those that take
/// long. Others find connections to the database meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concurrency {
    /// Requests that read.
    pub reads: usize,
    /// Requests that write.
    pub writes: usize,
}

/// Largest size of the descriptions of all components of an organisation together, in bytes. One
/// change may publish all of them: an incident or a maintenance may have all components.
pub const MAX_DESCRIPTIONS_BYTES: u64 = 1_000_000;

/// Checks the size of the descriptions of all components of an organisation, in bytes.
///
/// # Errors
/// [`Error::Conflict`] if it is above [`MAX_DESCRIPTIONS_BYTES`].
pub fn check_descriptions(bytes: u64) -> Result<(), Error> {
    if bytes <= MAX_DESCRIPTIONS_BYTES {
        return Ok(());
    }
    Err(Error::Conflict(format!(
        "The descriptions of all components together may have {MAX_DESCRIPTIONS_BYTES} bytes"
    )))
}

impl UsageLimits {
    /// Number of unsent deliveries that every organisation may have.
    const MIN_WAITING_DELIVERIES: u64 = 1_000;

    /// Checks that an account that created `present` organisations may create another.
    ///
    /// # Errors
    /// [`Error::Conflict`] if it may not.
    pub fn check_organisations(&self, present: u64) -> Result<(), Error> {
        check(self.organisations, present, |most| {
            format!("An account may create {most} organisations (ALLCLEAR_LIMIT_ORGANISATIONS)")
        })
    }

    /// Checks that an organisation with `present` components may have another.
    ///
    /// # Errors
    /// [`Error::Conflict`] if it may not.
    pub fn check_components(&self, present: u64) -> Result<(), Error> {
        check(self.components, present, |most| {
            format!("An organisation may have {most} components (ALLCLEAR_LIMIT_COMPONENTS)")
        })
    }

    /// Checks that an organisation with `present` component groups may have another.
    ///
    /// # Errors
    /// [`Error::Conflict`] if it may not.
    pub fn check_groups(&self, present: u64) -> Result<(), Error> {
        check(self.groups, present, |most| {
            format!("An organisation may have {most} component groups (ALLCLEAR_LIMIT_GROUPS)")
        })
    }

    /// Maximum number of unsent deliveries of an organisation beside which its next notice is
    /// expanded: ten for each subscriber that it may have, so that receivers that do not respond
    /// delay no notices to others.
    #[must_use]
    pub fn waiting_deliveries(&self) -> Option<u64> {
        let most = self.subscribers?.saturating_mul(10);
        Some(most.max(Self::MIN_WAITING_DELIVERIES))
    }

    /// Checks that an organisation with `present` subscribers may have another.
    ///
    /// # Errors
    /// [`Error::Conflict`] if it may not.
    pub fn check_subscribers(&self, present: u64) -> Result<(), Error> {
        check(self.subscribers, present, |most| {
            format!("An organisation may have {most} subscribers (ALLCLEAR_LIMIT_SUBSCRIBERS)")
        })
    }
}

fn check(
    limit: Option<u64>,
    present: u64,
    refusal: impl FnOnce(u64) -> String,
) -> Result<(), Error> {
    match limit {
        Some(most) if present >= most => Err(Error::Conflict(refusal(most))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_one_fits_and_the_next_is_refused_by_name() {
        let limits = UsageLimits {
            components: Some(2),
            ..UsageLimits::default()
        };
        assert!(limits.check_components(1).is_ok());
        let message = limits.check_components(2).unwrap_err().to_string();
        assert!(message.contains("ALLCLEAR_LIMIT_COMPONENTS"), "{message}");
        assert!(limits.check_subscribers(u64::MAX).is_ok());
        assert!(limits.check_organisations(u64::MAX).is_ok());
    }

    #[test]
    fn descriptions_of_all_components_have_a_largest_size() {
        assert!(check_descriptions(MAX_DESCRIPTIONS_BYTES).is_ok());
        let message = check_descriptions(MAX_DESCRIPTIONS_BYTES + 1).unwrap_err();
        assert!(message.to_string().contains("1000000 bytes"), "{message}");
    }
}
