//! How many maintenances that are not over an organisation may have. Changes of components read all
//! of them.

use allclear_application::error::Error;
use allclear_domain::maintenance::{Maintenance, MaintenanceStatus};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, EntityTrait, JoinType, PaginatorTrait, QueryFilter, QuerySelect, Select,
};

use super::public::not_over;
use crate::commit::Scope;
use crate::entity::maintenance::{Column, Entity};
use crate::entity::maintenance_component;
use crate::error::broken;
use crate::statement::Fetch;

/// Whether a maintenance counts: it is scheduled or in progress.
pub(super) fn counts(maintenance: &Maintenance, now: DateTime<Utc>) -> bool {
    match maintenance.status(now) {
        MaintenanceStatus::Scheduled | MaintenanceStatus::InProgress => true,
        MaintenanceStatus::Completed | MaintenanceStatus::Cancelled => false,
    }
}

fn counted(scope: Scope<'_>) -> Select<Entity> {
    not_over(scope.organisation, scope.stamp.wall_time).filter(Column::CancelledAt.is_null())
}

/// Checks that the organisation may have another maintenance that is not over.
pub(super) async fn check_number(scope: Scope<'_>) -> Result<(), Error> {
    let limits = scope.database.limits;
    if limits.maintenances.is_none() {
        return Ok(());
    }
    let present = counted(scope).count(scope.transaction).await;
    limits.check_maintenances(present.map_err(broken)?)
}

/// Checks how many components the maintenances of the organisation that are not over have together.
pub(super) async fn check_components(scope: Scope<'_>) -> Result<(), Error> {
    let limits = scope.database.limits;
    if limits.components.is_none() {
        return Ok(());
    }
    let link = Entity::belongs_to(maintenance_component::Entity)
        .from(Column::Id)
        .to(maintenance_component::Column::MaintenanceId);
    let sum: Option<i64> = counted(scope)
        .join(JoinType::InnerJoin, link.into())
        .select_only()
        .expr(Expr::cust("COUNT(*)"))
        .into_tuple()
        .fetch_one(scope.transaction)
        .await?;
    let sum = u64::try_from(sum.unwrap_or_default()).map_err(Error::internal)?;
    limits.check_components_of_maintenances(sum)
}
