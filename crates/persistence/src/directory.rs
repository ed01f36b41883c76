//! Data from a hosted identity provider.

mod member;

use allclear_application::directory::{
    Credential, Directory, DirectoryStore, MemberRecord, NameRecord, Revocation, TokenStatus,
};
use allclear_application::error::Error;
use allclear_application::transition::Committed;
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter,
};

use crate::audit::{NewAuditItems, NoAuditItem};
use crate::database::Database;
use crate::entity::{directory_message, directory_name, directory_revocation, organisation};
use crate::organisation::insert_or_rename;
use crate::organisation::lock::lock;
use crate::statement::{Fetch, Run, exists};
use crate::transaction::Transaction;

const SESSION: &str = "session";
const USER: &str = "user";
const MEMBERSHIP: &str = "membership";
const ORGANISATION: &str = "organisation";

#[async_trait]
impl DirectoryStore for Database {
    async fn token_status(&self, credential: &Credential) -> Result<TokenStatus, Error> {
        let credential = credential.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let revocations = revocations(transaction, &credential).await?;
                let revoked = revocations
                    .iter()
                    .any(|revocation| applies(revocation, credential.issued_at));
                let user = find_name(transaction, &credential.user).await?;
                let organisation = match &credential.organisation {
                    Some(id) => organisation_name(transaction, id).await?,
                    None => None,
                };
                Ok(TokenStatus {
                    revoked,
                    user,
                    organisation,
                })
            })
        })
        .await
    }

    async fn name_user(&self, user: &str, known: NameRecord) -> Result<(), Error> {
        let user = user.to_owned();
        self.write_unaudited(NoAuditItem::Directory, move |transaction| {
            Box::pin(async move {
                keep_newer(transaction, &user, known).await?;
                Ok(())
            })
        })
        .await
    }

    async fn name_organisation(
        &self,
        id: &OrganisationId,
        known: NameRecord,
    ) -> Result<Committed<()>, Error> {
        let (named, database) = (id.clone(), self.clone());
        self.write_audited_of(Some(id), move |transaction| {
            Box::pin(async move {
                let id = named;
                let unchanged = || {
                    let none = NewAuditItems::unchanged();
                    (Committed::unchanged(()), none)
                };
                // A deletion takes the same lock, if the row exists.
                let is_known = lock(transaction, &id).await?.is_some();
                let deleted = (ORGANISATION.to_owned(), id.as_str().to_owned());
                let deleted = directory_revocation::Entity::find_by_id(deleted);
                if exists(deleted, transaction).await? {
                    return Ok(unchanged());
                }
                let is_fallback = known.as_of == NameRecord::NEVER;
                if is_known && is_fallback {
                    return Ok(unchanged());
                }
                let name = known.name.clone();
                if !is_fallback && !keep_newer(transaction, id.as_str(), known).await? {
                    return Ok(unchanged());
                }
                let committed = insert_or_rename(transaction, &database, &id, name).await?;
                Ok((committed, NewAuditItems::none(NoAuditItem::OfCommit)))
            })
        })
        .await
    }

    async fn record_member(&self, member: &MemberRecord) -> Result<(), Error> {
        let (changed, now) = (member.clone(), self.clock.now());
        self.write_audited_of(Some(&member.organisation), move |transaction| {
            Box::pin(
                async move { Ok(((), member::audit_items(transaction, &changed, now).await?)) },
            )
        })
        .await
    }

    async fn revoke(&self, revocation: &Revocation, at: DateTime<Utc>) -> Result<(), Error> {
        let (kind, id) = key(revocation);
        let now = self.clock.now();
        let forgotten = now - Directory::MEMORY;
        let (owner, member) = match revocation {
            Revocation::Membership { organisation, user } => (
                Some(organisation),
                Some((organisation.clone(), user.clone())),
            ),
            Revocation::Session(_) | Revocation::User(_) => (None, None),
        };
        self.write_audited_of(owner, move |transaction| {
            Box::pin(async move {
                if kind == USER {
                    directory_name::Entity::delete_by_id(id.as_str())
                        .run(transaction)
                        .await?;
                }
                let audit_items = match member {
                    Some((organisation, user)) => {
                        member::audit_items_of_removal(transaction, &organisation, &user, at, now)
                            .await?
                    }
                    None => NewAuditItems::none(NoAuditItem::Directory),
                };
                insert_revocation(transaction, kind, id, at).await?;
                let column = directory_revocation::Column::EndedAt;
                let old = directory_revocation::Entity::delete_many().filter(column.lt(forgotten));
                // The identifier of a deleted organisation must not be used again, so its
                // revocation stays.
                let old = old.filter(directory_revocation::Column::Kind.ne(ORGANISATION));
                old.run(transaction).await?;
                Ok(((), audit_items))
            })
        })
        .await
    }

    async fn delete_organisation(
        &self,
        id: &OrganisationId,
        at: DateTime<Utc>,
    ) -> Result<(), Error> {
        // Its tokens are revoked first, so that no request writes to the organisation while its
        // rows are removed.
        let (revoked, deleted) = (id.clone(), NoAuditItem::OrganisationDeleted);
        self.write_unaudited_of(Some(id), deleted, move |transaction| {
            Box::pin(async move {
                lock(transaction, &revoked).await?;
                insert_revocation(transaction, ORGANISATION, revoked.to_string(), at).await
            })
        })
        .await?;
        self.remove_rows_of(id, None).await?;
        let ending = id.clone();
        self.write_unaudited_of(Some(id), deleted, move |transaction| {
            Box::pin(async move {
                directory_name::Entity::delete_by_id(ending.as_str())
                    .run(transaction)
                    .await?;
                organisation::Entity::delete_by_id(ending.as_str())
                    .run(transaction)
                    .await?;
                Ok(())
            })
        })
        .await
    }

    async fn is_handled(&self, message: &str) -> Result<bool, Error> {
        exists(directory_message::Entity::find_by_id(message), self.read()).await
    }

    async fn mark_handled(&self, message: &str, at: DateTime<Utc>) -> Result<(), Error> {
        let row = directory_message::ActiveModel {
            id: Set(message.to_owned()),
            handled_at: Set(at),
        };
        let forgotten = at - Directory::MESSAGES;
        self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(async move {
                let column = directory_message::Column::HandledAt;
                let old = directory_message::Entity::delete_many().filter(column.lt(forgotten));
                old.run(transaction).await?;
                let once = OnConflict::column(directory_message::Column::Id)
                    .do_nothing()
                    .to_owned();
                let insert = directory_message::Entity::insert(row).on_conflict(once);
                insert.run(transaction).await?;
                Ok(())
            })
        })
        .await
    }
}

/// Returns the key of a revocation.
fn key(revocation: &Revocation) -> (&'static str, String) {
    match revocation {
        Revocation::Session(id) => (SESSION, id.clone()),
        Revocation::User(id) => (USER, id.clone()),
        Revocation::Membership { organisation, user } => {
            (MEMBERSHIP, format!("{organisation}/{user}"))
        }
    }
}

/// Returns the revocations that concern a token.
async fn revocations(
    transaction: &Transaction,
    credential: &Credential,
) -> Result<Vec<directory_revocation::Model>, Error> {
    use directory_revocation::Column;
    let of = |(kind, id): (&str, String)| {
        Condition::all()
            .add(Column::Kind.eq(kind))
            .add(Column::Id.eq(id))
    };
    let user = credential.user.clone();
    let mut any = Condition::any()
        .add(of(key(&Revocation::Session(credential.session.clone()))))
        .add(of(key(&Revocation::User(user.clone()))));
    if let Some(organisation) = credential.organisation.clone() {
        any = any.add(of((ORGANISATION, organisation.as_str().to_owned())));
        any = any.add(of(key(&Revocation::Membership { organisation, user })));
    }
    directory_revocation::Entity::find()
        .filter(any)
        .fetch_all(transaction)
        .await
}

/// Whether the revocation applies to a token issued at the given time. Sessions and organisations
/// are revoked permanently; users and members may have returned since.
fn applies(revocation: &directory_revocation::Model, issued_at: DateTime<Utc>) -> bool {
    let for_good = revocation.kind == SESSION || revocation.kind == ORGANISATION;
    for_good || revocation.ended_at >= issued_at
}

async fn insert_revocation(
    transaction: &Transaction,
    kind: &str,
    id: String,
    at: DateTime<Utc>,
) -> Result<(), Error> {
    use directory_revocation::{Column, Entity};
    // Messages may arrive late: the latest time counts.
    let earlier = Entity::delete_many()
        .filter(Column::Kind.eq(kind))
        .filter(Column::Id.eq(id.as_str()));
    earlier
        .filter(Column::EndedAt.lt(at))
        .run(transaction)
        .await?;
    let row = directory_revocation::ActiveModel {
        kind: Set(kind.to_owned()),
        id: Set(id),
        ended_at: Set(at),
    };
    let once = OnConflict::columns([Column::Kind, Column::Id])
        .do_nothing()
        .to_owned();
    Entity::insert(row)
        .on_conflict(once)
        .run(transaction)
        .await?;
    Ok(())
}

/// Returns the stored name of a user or an organisation.
async fn find_name(
    connection: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<NameRecord>, Error> {
    let found = directory_name::Entity::find_by_id(id)
        .fetch_one(connection)
        .await?;
    Ok(found.map(NameRecord::from))
}

/// Returns the name of an existing organisation. Its time is [`NameRecord::NEVER`] if the provider
/// did not send it.
async fn organisation_name(
    connection: &impl ConnectionTrait,
    id: &OrganisationId,
) -> Result<Option<NameRecord>, Error> {
    let found = organisation::Entity::find_by_id(id.as_str())
        .fetch_one(connection)
        .await?;
    let Some(row) = found else { return Ok(None) };
    let as_of = find_name(connection, id.as_str())
        .await?
        .map_or(NameRecord::NEVER, |known| known.as_of);
    Ok(Some(NameRecord {
        name: row.name,
        as_of,
    }))
}

/// Stores a name unless a newer one is stored. Returns whether it was stored.
async fn keep_newer(transaction: &Transaction, id: &str, fresh: NameRecord) -> Result<bool, Error> {
    use directory_name::{Column, Entity};
    let as_of = fresh.as_of;
    let row = directory_name::ActiveModel {
        id: Set(id.to_owned()),
        name: Set(fresh.name),
        as_of: Set(as_of),
    };
    let newest = OnConflict::column(Column::Id)
        .update_columns([Column::Name, Column::AsOf])
        .action_and_where(Expr::col((Entity, Column::AsOf)).lte(as_of))
        .to_owned();
    let kept = Entity::insert(row)
        .on_conflict(newest)
        .run(transaction)
        .await?;
    Ok(kept > 0)
}
