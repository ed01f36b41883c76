//! The contract of the storage ports, run on SQLite and on PostgreSQL.

// Clippy's `allow-…-in-tests` knows `#[test]` functions and `cfg(test)` modules only, not the
// helpers of a test crate.
#![cfg(test)]

mod account;
mod audit;
mod backend;
mod bounded_reads;
mod component;
mod custom_domain;
mod dashboard;
mod delivery;
mod directory;
mod incident;
mod mail_budget;
mod maintenance;
mod membership;
mod metrics;
mod openid;
mod operator_mail;
mod organisation;
mod organisation_fixture;
mod outbox;
mod passkey;
mod pending;
mod readiness;
mod released;
mod restore;
mod scheduler;
mod schema;
mod second_factor;
mod session;
mod size;
mod stamp;
mod status_page;
mod statuspage;
mod subscriber;
mod usage_limit;
mod waiting_writes;
mod waitlist;

/// Makes a test of each named function of this module, once a database.
macro_rules! contract {
    // Functions that connect by themselves, given the address of an empty database.
    (by url: $($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let folder = tempfile::tempdir().unwrap();
                super::$name(&crate::backend::sqlite_url(&folder)).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let Some(url) = allclear_test_support::postgres() else { return };
                super::$name(&url).await;
            })+
        }
    };
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let backend = crate::backend::sqlite().await;
                super::$name(&backend.database).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let Some(backend) = crate::backend::postgres().await else { return };
                super::$name(&backend.database).await;
            })+
        }
    };
}
pub(crate) use contract;
