//! The tables.
#![expect(unreachable_pub, reason = "SeaORM's derive wants entities public")]

pub(crate) mod component;
pub(crate) mod component_status_change;
pub(crate) mod organisation;
pub(crate) mod outbox;
