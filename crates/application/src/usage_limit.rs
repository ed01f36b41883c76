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
    /// Incidents of an organisation that are not resolved.
    pub open_incidents: Option<u64>,
    /// Maintenances of an organisation that are neither over nor cancelled.
    pub maintenances: Option<u64>,
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
    /// Number of components that the unresolved incidents of every organisation may have together,
    /// and its maintenances that are not over.
    const MIN_AFFECTED: u64 = 1_000;

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

    /// Checks that an organisation with `present` unresolved incidents may have another.
    ///
    /// # Errors
    /// [`Error::Conflict`] if it may not.
    pub fn check_open_incidents(&self, present: u64) -> Result<(), Error> {
        check(self.open_incidents, present, |most| {
            format!(
                "An organisation may have {most} incidents that are not resolved \
                 (ALLCLEAR_LIMIT_OPEN_INCIDENTS)"
            )
        })
    }

    /// Checks that an organisation with `present` maintenances that are neither over nor cancelled
    /// may have another.
    ///
    /// # Errors
    /// [`Error::Conflict`] if it may not.
    pub fn check_maintenances(&self, present: u64) -> Result<(), Error> {
        check(self.maintenances, present, |most| {
            format!(
                "An organisation may have {most} maintenances that are not over \
                 (ALLCLEAR_LIMIT_MAINTENANCES)"
            )
        })
    }

    /// Checks how many components the unresolved incidents of an organisation have together: ten
    /// for each that it may have.
    ///
    /// # Errors
    /// [`Error::Conflict`] if they have too many.
    pub fn check_components_of_open_incidents(&self, sum: u64) -> Result<(), Error> {
        let most = self.for_each_component(10);
        check_sum(most, sum, |most| {
            format!(
                "The incidents that are not resolved may have {most} components together \
                 (ALLCLEAR_LIMIT_COMPONENTS)"
            )
        })
    }

    /// Checks how many components the maintenances of an organisation that are neither over nor
    /// cancelled have together: fifty for each that it may have.
    ///
    /// # Errors
    /// [`Error::Conflict`] if they have too many.
    pub fn check_components_of_maintenances(&self, sum: u64) -> Result<(), Error> {
        let most = self.for_each_component(50);
        check_sum(most, sum, |most| {
            format!(
                "The maintenances that are not over may have {most} components together \
                 (ALLCLEAR_LIMIT_COMPONENTS)"
            )
        })
    }

    /// So many for each component that an organisation may have.
    fn for_each_component(&self, number: u64) -> Option<u64> {
        let most = self.components?.saturating_mul(number);
        Some(most.max(Self::MIN_AFFECTED))
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

fn check_sum(
    limit: Option<u64>,
    sum: u64,
    refusal: impl FnOnce(u64) -> String,
) -> Result<(), Error> {
    match limit {
        Some(most) if sum > most => Err(Error::Conflict(refusal(most))),
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
    fn components_of_incidents_and_maintenances_are_limited_by_those_of_the_organisation() {
        let limits = |components| UsageLimits {
            components: Some(components),
            ..UsageLimits::default()
        };
        for (components, of_incidents, of_maintenances) in
            [(3, 1_000, 1_000), (1_000, 10_000, 50_000)]
        {
            let limits = limits(components);
            assert!(
                limits
                    .check_components_of_open_incidents(of_incidents)
                    .is_ok()
            );
            assert!(
                limits
                    .check_components_of_maintenances(of_maintenances)
                    .is_ok()
            );
            let refusals = [
                limits.check_components_of_open_incidents(of_incidents + 1),
                limits.check_components_of_maintenances(of_maintenances + 1),
            ];
            for (refusal, most) in refusals.into_iter().zip([of_incidents, of_maintenances]) {
                let message = refusal.unwrap_err().to_string();
                assert!(message.contains(&most.to_string()), "{message}");
                assert!(message.contains("ALLCLEAR_LIMIT_COMPONENTS"), "{message}");
            }
        }
        let unlimited = UsageLimits::default();
        assert!(
            unlimited
                .check_components_of_open_incidents(u64::MAX)
                .is_ok()
        );
        assert!(unlimited.check_components_of_maintenances(u64::MAX).is_ok());
    }

    #[test]
    fn descriptions_of_all_components_have_a_largest_size() {
        assert!(check_descriptions(MAX_DESCRIPTIONS_BYTES).is_ok());
        let message = check_descriptions(MAX_DESCRIPTIONS_BYTES + 1).unwrap_err();
        assert!(message.to_string().contains("1000000 bytes"), "{message}");
    }
}
