//! Subscribers as rows.

use allclear_application::error::Error;
use allclear_domain::channel::Target;
use allclear_domain::id::{IncidentId, OrganisationId, SubscriberId};
use allclear_domain::subscriber::{
    Choice, Failing, ReplacedSecret, Scope, ScopeKind, SecretRound, Subscriber,
};
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{NotSet, Set},
    ConnectionTrait, IntoActiveModel,
};

use super::scope;
use crate::entity::subscriber::{ActiveModel, Model};
use crate::error::parse_stored;

pub(super) fn model_of(
    organisation: &OrganisationId,
    state: &Subscriber,
    confirmed_revision: i64,
) -> Result<Model, Error> {
    Ok(Model {
        id: state.id.0,
        organisation_id: organisation.as_str().to_owned(),
        target: state.target.as_str().to_owned(),
        target_key: state.target.key().as_str().to_owned(),
        status: state.status.to_string(),
        is_verified: state.is_verified,
        round: state.round,
        confirmed_revision,
        created_at: state.created_at,
        updated_at: state.updated_at,
        channel: state.target.channel().to_string(),
        scope: state.scope.kind().to_string(),
        incident_id: state.scope.incident().map(|incident| incident.0),
        mute_maintenances: state.mute_maintenances,
        secret_number: state.secret.number,
        secret_rotated_at: state.secret.rotated_at,
        failing_reason: state.failing.as_ref().map(|failing| failing.reason.clone()),
        failing_since: state.failing.as_ref().map(|failing| failing.since),
        earlier_secrets: stored_secrets(&state.secret.earlier)?,
        by_visitor: state.target.is_by_visitor(),
    })
}

/// The columns of a stored subscriber after a change: all except the key of its target, which never
/// changes. Of addresses that differ in case only, version 0.1 stored several subscribers, and one
/// of them has the key of the target.
pub(super) fn changed(row: Model) -> ActiveModel {
    ActiveModel {
        target_key: NotSet,
        ..row.into_active_model().reset_all()
    }
}

/// `None` if there are none.
fn stored_secrets(secrets: &[ReplacedSecret]) -> Result<Option<String>, Error> {
    if secrets.is_empty() {
        return Ok(None);
    }
    let pairs: Vec<_> = secrets
        .iter()
        .map(|secret| (secret.number, secret.replaced_at))
        .collect();
    serde_json::to_string(&pairs)
        .map(Some)
        .map_err(Error::internal)
}

fn secrets_from(stored: Option<&str>) -> Result<Vec<ReplacedSecret>, Error> {
    let pairs: Vec<(i32, DateTime<Utc>)> =
        serde_json::from_str(stored.unwrap_or("[]")).map_err(Error::internal)?;
    let secret = |(number, replaced_at)| ReplacedSecret {
        number,
        replaced_at,
    };
    Ok(pairs.into_iter().map(secret).collect())
}

/// The columns of a subscriber whose messages arrive.
pub(crate) fn no_failure() -> ActiveModel {
    ActiveModel {
        failing_reason: Set(None),
        failing_since: Set(None),
        ..Default::default()
    }
}

pub(super) async fn optional_subscriber_from(
    connection: &impl ConnectionTrait,
    row: Option<Model>,
) -> Result<Option<Subscriber>, Error> {
    let rows = row.into_iter().collect();
    Ok(subscribers_from(connection, rows).await?.pop())
}

/// Converts stored subscribers, in their order, with what they chose.
pub(crate) async fn subscribers_from(
    connection: &impl ConnectionTrait,
    rows: Vec<Model>,
) -> Result<Vec<Subscriber>, Error> {
    let mut choices = scope::choices(connection, &rows).await?;
    rows.into_iter()
        .map(|row| {
            let choice = choices.remove(&row.id).unwrap_or_default();
            subscriber_from(row, choice)
        })
        .collect()
}

fn subscriber_from(row: Model, choice: Choice) -> Result<Subscriber, Error> {
    let scope = match parse_stored(&row.scope)? {
        ScopeKind::All => Scope::All,
        ScopeKind::Components => Scope::Components(choice),
        ScopeKind::Incident => {
            let incident = row.incident_id.map(IncidentId);
            Scope::Incident(incident.ok_or_else(|| Error::internal("a follower has no incident"))?)
        }
    };
    let target = Target::stored(parse_stored(&row.channel)?, row.target);
    let failing = row.failing_since.map(|since| Failing {
        reason: row.failing_reason.unwrap_or_default(),
        since,
    });
    Ok(Subscriber {
        id: SubscriberId(row.id),
        target: if row.by_visitor {
            target.entered_by_visitor()
        } else {
            target
        },
        scope,
        mute_maintenances: row.mute_maintenances,
        status: parse_stored(&row.status)?,
        is_verified: row.is_verified,
        round: row.round,
        secret: SecretRound {
            number: row.secret_number,
            rotated_at: row.secret_rotated_at,
            earlier: secrets_from(row.earlier_secrets.as_deref())?,
        },
        failing,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}
