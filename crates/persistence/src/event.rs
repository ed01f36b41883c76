//! The public form of events, read in the transaction that stores them.

use allclear_application::error::Error;
use allclear_application::outbox::PublicEvent;
use allclear_application::public::PublicComponent;
use allclear_domain::event::Event;
use allclear_domain::id::ComponentId;
use sea_orm::{DatabaseTransaction, EntityTrait};

use crate::component::component;
use crate::entity;
use crate::error::broken;

/// The event as sockets and event streams carry it.
pub(crate) async fn public(transaction: &DatabaseTransaction, event: Event) -> Result<PublicEvent, Error> {
    match event {
        Event::NewComponent(id) => PublicEvent::new("new-component", &[public_component(transaction, id).await?]),
        Event::ComponentUpdate(id) => PublicEvent::new("component-update", &[public_component(transaction, id).await?]),
        Event::ComponentDeleted(id) => PublicEvent::new("component-deleted", &[id.to_string()]),
    }
}

async fn public_component(transaction: &DatabaseTransaction, id: ComponentId) -> Result<PublicComponent, Error> {
    let row = entity::component::Entity::find_by_id(id.0).one(transaction).await.map_err(broken)?;
    let row = row.ok_or_else(|| Error::internal(format!("an event names component {id}, which is not stored")))?;
    Ok(PublicComponent::from(&component(row)?))
}
