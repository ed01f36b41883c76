//! How many unresolved incidents an organisation may have. Changes of their components read all of
//! them.

use allclear_application::error::Error;
use sea_orm::sea_query::Expr;
use sea_orm::{EntityTrait, JoinType, PaginatorTrait, QueryFilter, QuerySelect};

use super::public::unresolved;
use crate::commit::Scope;
use crate::entity::incident::{Column, Entity};
use crate::entity::incident_component;
use crate::error::broken;
use crate::statement::Fetch;

/// Checks that the organisation may have another unresolved incident.
pub(super) async fn check_number(scope: Scope<'_>) -> Result<(), Error> {
    let limits = scope.database.limits;
    if limits.open_incidents.is_none() {
        return Ok(());
    }
    let open = Entity::find().filter(unresolved(scope.organisation));
    let present = open.count(scope.transaction).await.map_err(broken)?;
    limits.check_open_incidents(present)
}

/// Checks how many components the unresolved incidents of the organisation have together.
pub(super) async fn check_components(scope: Scope<'_>) -> Result<(), Error> {
    let limits = scope.database.limits;
    if limits.components.is_none() {
        return Ok(());
    }
    let link = Entity::belongs_to(incident_component::Entity)
        .from(Column::Id)
        .to(incident_component::Column::IncidentId);
    let sum: Option<i64> = Entity::find()
        .filter(unresolved(scope.organisation))
        .join(JoinType::InnerJoin, link.into())
        .select_only()
        .expr(Expr::cust("COUNT(*)"))
        .into_tuple()
        .fetch_one(scope.transaction)
        .await?;
    let sum = u64::try_from(sum.unwrap_or_default()).map_err(Error::internal)?;
    limits.check_components_of_open_incidents(sum)
}
