//! The migrations of the database schema, one per file. A released migration never changes.

use sea_orm_migration::prelude::*;

mod code;
mod m0001_organisations_and_components;
mod m0002_accounts;
mod m0003_incidents;
mod m0004_maintenances;
mod m0005_outbox_by_age;
mod m0006_subscribers;
mod m0007_deliveries;
mod m0008_directory;
mod m0009_commit_times;
mod m0010_packed_outbox;
mod m0011_one_account_per_address;
mod m0012_mail_budgets;
mod m0013_confirmed_revisions;
mod m0016_limits_and_readiness;
mod m0017_settings_and_codes;
mod m0018_groups_periods_and_reviews;
mod m0019_history_by_time;
mod m0021_audit_items_and_failed_mails;
mod m0022_domain_claims;
mod m0023_statuspage_entries;
mod m0024_channels;
mod m0025_operator_mails;
mod m0026_webhook_subscribers;
mod m0027_roles_and_api_keys;
mod m0028_audit_states;
mod m0029_sessions_and_factors;
mod m0030_idempotent_responses;
mod m0032_factor_requirements;
mod m0033_openid;
mod m0034_passkeys;
mod m0036_accounts_without_password;
mod m0037_used_challenges;
mod m0038_factors_of_sessions;
mod m0039_rows_of_users;
mod m0040_unconfirmed_subscribers;
mod m0041_rows_of_organisations;
mod m0042_deleted_components_and_partial_indexes;
mod m0043_earlier_secrets;
mod m0044_rows_of_first_release;
mod m0045_targets_of_visitors;
mod m0046_unconfirmed_attempts;
mod m0047_early_retries;
mod m0048_mail_addresses_without_case;
mod m0049_expiry_indexes_and_names;
mod table;

/// Statements that make of an empty SQLite database what all migrations make of it, except the list
/// of applied migrations. A test of `allclear-persistence` compares both, and writes the file.
pub const NEW_SQLITE: &str = include_str!("../new-sqlite.sql");

/// All migrations, in order.
#[derive(Debug)]
pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_organisations_and_components::Migration),
            Box::new(m0002_accounts::Migration),
            Box::new(m0003_incidents::Migration),
            Box::new(m0004_maintenances::Migration),
            Box::new(m0005_outbox_by_age::Migration),
            Box::new(m0006_subscribers::Migration),
            Box::new(m0007_deliveries::Migration),
            Box::new(m0008_directory::Migration),
            Box::new(m0009_commit_times::Migration),
            Box::new(m0010_packed_outbox::Migration),
            Box::new(m0011_one_account_per_address::Migration),
            Box::new(m0012_mail_budgets::Migration),
            Box::new(m0013_confirmed_revisions::Migration),
            Box::new(m0016_limits_and_readiness::Migration),
            Box::new(m0017_settings_and_codes::Migration),
            Box::new(m0018_groups_periods_and_reviews::Migration),
            Box::new(m0019_history_by_time::Migration),
            Box::new(m0021_audit_items_and_failed_mails::Migration),
            Box::new(m0022_domain_claims::Migration),
            Box::new(m0023_statuspage_entries::Migration),
            Box::new(m0024_channels::Migration),
            Box::new(m0025_operator_mails::Migration),
            Box::new(m0026_webhook_subscribers::Migration),
            Box::new(m0027_roles_and_api_keys::Migration),
            Box::new(m0028_audit_states::Migration),
            Box::new(m0029_sessions_and_factors::Migration),
            Box::new(m0030_idempotent_responses::Migration),
            Box::new(m0032_factor_requirements::Migration),
            Box::new(m0033_openid::Migration),
            Box::new(m0034_passkeys::Migration),
            Box::new(m0036_accounts_without_password::Migration),
            Box::new(m0037_used_challenges::Migration),
            Box::new(m0038_factors_of_sessions::Migration),
            Box::new(m0039_rows_of_users::Migration),
            Box::new(m0040_unconfirmed_subscribers::Migration),
            Box::new(m0041_rows_of_organisations::Migration),
            Box::new(m0042_deleted_components_and_partial_indexes::Migration),
            Box::new(m0043_earlier_secrets::Migration),
            Box::new(m0044_rows_of_first_release::Migration),
            Box::new(m0045_targets_of_visitors::Migration),
            Box::new(m0046_unconfirmed_attempts::Migration),
            Box::new(m0047_early_retries::Migration),
            Box::new(m0048_mail_addresses_without_case::Migration),
            Box::new(m0049_expiry_indexes_and_names::Migration),
        ]
    }
}
