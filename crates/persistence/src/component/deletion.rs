//! The rows of a deleted component. There may be millions.

use allclear_application::error::Error;
use allclear_domain::id::{ComponentId, OrganisationId};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::database::Database;
use crate::entity::component::{Column, Entity};
use crate::entity::{
    component_period, incident_component, maintenance_component, subscriber_component,
};
use crate::removal::delete_at_most;
use crate::statement::exists;

/// The periods of a component.
fn periods(id: ComponentId) -> Expr {
    component_period::Column::ComponentId.eq(id.0)
}

/// The choices of a component by subscribers.
fn choices(id: ComponentId) -> Expr {
    subscriber_component::Column::ComponentId.eq(id.0)
}

impl Database {
    /// Whether a component has more rows than one transaction may remove.
    pub(super) async fn owns_many_rows(&self, id: ComponentId) -> Result<bool, Error> {
        Ok(self
            .are_many::<component_period::Entity>(&periods(id))
            .await?
            || self
                .are_many::<subscriber_component::Entity>(&choices(id))
                .await?)
    }

    /// Removes a component that is marked as deleted, with its rows, in several transactions. It
    /// stays if an incident or a maintenance names it. The deletion is committed, so a failure is
    /// only logged: nobody sees the rows that are left.
    pub(super) async fn remove_deleted_or_warn(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) {
        if let Err(error) = self.remove_deleted(organisation, id).await {
            tracing::warn!(
                organisation = organisation.as_str(),
                component = %id,
                error = &error as &dyn std::error::Error,
                "rows of a deleted component are left"
            );
        }
    }

    async fn remove_deleted(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<(), Error> {
        if has_links(self.read(), id).await? {
            return Ok(());
        }
        self.remove_if_many::<component_period::Entity>(organisation, &periods(id))
            .await?;
        self.remove_if_many::<subscriber_component::Entity>(organisation, &choices(id))
            .await?;
        let component = delete_at_most::<Entity>(Column::Id.eq(id.0));
        self.run_locked(organisation, component).await.map(drop)
    }
}

/// Whether an incident or a maintenance names a component.
pub(super) async fn has_links(
    connection: &impl ConnectionTrait,
    id: ComponentId,
) -> Result<bool, Error> {
    let incidents =
        incident_component::Entity::find().filter(incident_component::Column::ComponentId.eq(id.0));
    let maintenances = maintenance_component::Entity::find()
        .filter(maintenance_component::Column::ComponentId.eq(id.0));
    Ok(exists(incidents, connection).await? || exists(maintenances, connection).await?)
}

#[cfg(test)]
mod tests;
