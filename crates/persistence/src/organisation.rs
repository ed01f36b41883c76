//! Organisations.

mod deletion;
pub(crate) mod lock;

use allclear_application::audit::state;
use allclear_application::error::{Error, Resource};
use allclear_application::invitation::Invitation;
use allclear_application::membership::{MemberTransition, NewOrganisation};
use allclear_application::organisation::OrganisationStore;
use allclear_application::origin::Origin;
use allclear_application::page::{Listed, Page};
use allclear_application::secret::Digest;
use allclear_application::session::AdminSession;
use allclear_application::status_page::PublicOrganisation;
use allclear_application::transition::{Committed, Transition};
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::audit::{Action, Actor, TargetType};
use allclear_domain::custom_domain::DomainClaim;
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::{InvitationId, OrganisationId, UserId};
use allclear_domain::membership::{Member, Membership, Role};
use allclear_domain::organisation::{Organisation, Revision};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait,
    QueryFilter, QuerySelect,
};

use crate::audit::subject::Subject;
use crate::audit::{NewAuditItem, NewAuditItems, NoAuditItem};
use crate::commit::{self, Scope};
use crate::database::Database;
use crate::entity::organisation::{ActiveModel, Column, Entity, Model};
use crate::entity::{domain_claim, user};
use crate::error::{broken, parse_stored};
use crate::organisation::lock::Lock;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;
use crate::{custom_domain, invitation, membership};

#[async_trait]
impl OrganisationStore for Database {
    async fn find(&self, id: &OrganisationId) -> Result<Option<Organisation>, Error> {
        find(self.read(), id).await
    }

    async fn change(
        &self,
        id: &OrganisationId,
        rule: Transition<Organisation>,
    ) -> Result<Option<Committed<Organisation>>, Error> {
        self.commit_revision(id, Subject::Organisation, move |scope| {
            Box::pin(async move {
                let Some(before) = find(scope.transaction, scope.organisation).await? else {
                    return Ok(None);
                };
                let mut changed = rule(before.clone(), scope.stamp)?;
                if changed.state != before {
                    // A change without events makes no revision, and must have a version of its
                    // own.
                    let next = before.version.next();
                    changed.state.version = scope.stamp.revision.max(next);
                    update(scope.transaction, &changed.state).await?;
                    custom_domain::store(scope.transaction, before.domain, &changed.state).await?;
                }
                Ok(Some(changed))
            })
        })
        .await
    }

    async fn create(&self, organisation: NewOrganisation) -> Result<(), Error> {
        let limits = self.limits;
        self.write_audited(move |transaction| {
            Box::pin(async move {
                let audit_items = create(transaction, organisation, limits).await?;
                Ok(((), audit_items))
            })
        })
        .await
    }

    async fn rename(
        &self,
        id: &OrganisationId,
        name: String,
        admin: UserId,
    ) -> Result<Committed<()>, Error> {
        let renamed = self.commit_revision(id, Subject::Organisation, move |scope| {
            Box::pin(async move {
                membership::check_admin(scope.transaction, scope.organisation, admin).await?;
                let renamed = rename(scope, name).await?;
                Ok(Some(renamed.unwrap_or_else(|| Changed::without_events(()))))
            })
        });
        renamed
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))
    }

    async fn delete(&self, id: &OrganisationId, admin: Option<UserId>) -> Result<bool, Error> {
        if let Some(admin) = admin
            && !self.check_admin(id, admin).await?
        {
            return Ok(false);
        }
        self.remove_rows_of(id, None).await?;
        let (ending, deleted) = (id.clone(), NoAuditItem::OrganisationDeleted);
        self.write_unaudited_of(Some(id), deleted, move |transaction| {
            Box::pin(async move {
                let gone = Entity::delete_by_id(ending.as_str()).run(transaction);
                Ok(gone.await? > 0)
            })
        })
        .await
    }

    async fn memberships_of(&self, user: UserId) -> Result<Vec<Membership>, Error> {
        membership::of_user(self.read(), user).await
    }

    async fn find_membership(
        &self,
        organisation: &OrganisationId,
        user: UserId,
    ) -> Result<Option<Membership>, Error> {
        membership::find(self.read(), organisation, user).await
    }

    async fn list_members(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Member>, Error> {
        membership::list(self.read(), organisation, page).await
    }

    async fn change_member(
        &self,
        organisation: &OrganisationId,
        user: UserId,
        admin: Option<AdminSession>,
        rule: MemberTransition,
    ) -> Result<Option<Role>, Error> {
        let (owner, now) = (organisation.clone(), self.clock.now());
        self.write_audited_of(Some(organisation), move |transaction| {
            Box::pin(async move {
                membership::change(transaction, &owner, user, admin, rule, now).await
            })
        })
        .await
    }

    async fn add_invitation(
        &self,
        invitation: Invitation,
        digest: Digest,
        admin: Option<AdminSession>,
    ) -> Result<(), Error> {
        let inviting = invitation.organisation.as_ref();
        let inviting = inviting.map(|inviting| inviting.id.clone());
        self.write_audited_of(inviting.as_ref(), move |transaction| {
            Box::pin(async move {
                let added = invitation::insert(transaction, invitation, digest, admin);
                Ok(((), added.await?))
            })
        })
        .await
    }

    async fn find_invitation(
        &self,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Result<Option<Invitation>, Error> {
        invitation::find(self.read(), digest.as_str(), now).await
    }

    async fn list_invitations(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
        page: Page,
    ) -> Result<Listed<Invitation>, Error> {
        invitation::list(self.read(), organisation, now, page).await
    }

    async fn delete_invitation(
        &self,
        organisation: &OrganisationId,
        id: InvitationId,
        admin: UserId,
    ) -> Result<bool, Error> {
        let (owner, now) = (organisation.clone(), self.clock.now());
        self.write_audited_of(Some(organisation), move |transaction| {
            Box::pin(async move { invitation::delete(transaction, &owner, id, admin, now).await })
        })
        .await
    }

    async fn accept_invitation(
        &self,
        digest: &Digest,
        user: UserId,
        now: DateTime<Utc>,
    ) -> Result<Option<Invitation>, Error> {
        let digest = digest.clone();
        self.write_audited(move |transaction| {
            Box::pin(
                async move { invitation::accept(transaction, digest.as_str(), user, now).await },
            )
        })
        .await
    }
}

async fn create(
    transaction: &Transaction,
    new: NewOrganisation,
    limits: UsageLimits,
) -> Result<NewAuditItems, Error> {
    if limits.organisations.is_some() {
        // The lock makes concurrent requests of one account count each other's organisations.
        let creator = user::Entity::find_by_id(new.creator.0).lock_exclusive();
        creator.fetch_one(transaction).await?;
        let present = Entity::find()
            .filter(Column::FounderId.eq(new.creator.0))
            .count(transaction)
            .await
            .map_err(broken)?;
        limits.check_organisations(present)?;
    }
    let row = ActiveModel {
        id: Set(new.id.as_str().to_owned()),
        code: Set(new.id.code().to_string()),
        name: Set(new.name),
        revision: Set(0),
        created_at: Set(new.created_at),
        committed_at: Set(DateTime::UNIX_EPOCH),
        founder_id: Set(Some(new.creator.0)),
        ..Default::default()
    };
    Entity::insert(row).run(transaction).await?;
    let (creator, now) = (new.creator, new.created_at);
    membership::insert(transaction, &new.id, creator, Role::Admin, now).await?;
    let created = find(transaction, &new.id).await?;
    let (action, target) = (
        Action::OrganisationCreated,
        (TargetType::Organisation, &new.id),
    );
    let change = NewAuditItem::new(&new.id, now, action, target)
        .named(created.as_ref().map(|created| created.name.clone()))
        .states(None, created.as_ref().map(state::organisation));
    Ok(change.into())
}

pub(crate) async fn find(
    connection: &impl ConnectionTrait,
    id: &OrganisationId,
) -> Result<Option<Organisation>, Error> {
    let found = Entity::find_by_id(id.as_str())
        .find_also_related(domain_claim::Entity)
        .fetch_one(connection)
        .await?;
    found
        .map(|(row, claim)| organisation_from(row, claim))
        .transpose()
}

impl Database {
    /// [`membership::check_admin`] under the organisation's lock. Returns whether the
    /// organisation exists.
    async fn check_admin(&self, id: &OrganisationId, admin: UserId) -> Result<bool, Error> {
        let (ending, deleted) = (id.clone(), NoAuditItem::OrganisationDeleted);
        self.write_unaudited_of(Some(id), deleted, move |transaction| {
            Box::pin(async move {
                if lock::lock(transaction, &ending).await?.is_none() {
                    return Ok(false);
                }
                membership::check_admin(transaction, &ending, admin).await?;
                Ok(true)
            })
        })
        .await
    }
}

/// The organisation with an identifier or a public code. If the text is the identifier of one
/// organisation and the code of another one, the identifier comes first. `None` if there is no
/// such organisation.
pub(crate) async fn find_by_id_or_code(
    connection: &impl ConnectionTrait,
    text: &str,
) -> Result<Option<OrganisationId>, Error> {
    let named = Condition::any()
        .add(Column::Id.eq(text))
        .add(Column::Code.eq(text));
    let found: Vec<String> = Entity::find()
        .filter(named)
        .select_only()
        .column(Column::Id)
        .into_tuple()
        .fetch_all(connection)
        .await?;
    let exact = found.iter().find(|id| id.as_str() == text);
    let found = exact.or(found.first());
    found.map(|id| parse_stored(id)).transpose()
}

/// The public form of the organisation of a commit.
pub(crate) async fn public(scope: Scope<'_>) -> Result<PublicOrganisation, Error> {
    let found = find(scope.transaction, scope.organisation).await?;
    let found =
        found.ok_or_else(|| Error::internal("an organisation with a commit is not stored"))?;
    let links = &scope.database.links;
    let url = links.page(scope.organisation, found.verified_domain());
    Ok(PublicOrganisation::new(found, url))
}

/// Ensures that the organisation exists and has the name.
pub(crate) async fn insert_or_rename(
    transaction: &Transaction,
    database: &Database,
    id: &OrganisationId,
    name: String,
) -> Result<Committed<()>, Error> {
    let fresh = ActiveModel {
        id: Set(id.as_str().to_owned()),
        code: Set(id.code().to_string()),
        name: Set(name.clone()),
        revision: Set(0),
        created_at: Set(database.clock.now()),
        committed_at: Set(DateTime::UNIX_EPOCH),
        ..Default::default()
    };
    let insert =
        Entity::insert(fresh).on_conflict(OnConflict::column(Column::Id).do_nothing().to_owned());
    insert.run(transaction).await?;
    let current = Origin::current();
    // A person changes the name in the settings; everybody else learns it from the provider.
    let origin = Origin {
        actor: match current.actor {
            Actor::Scheduler => Actor::Provider,
            actor => actor,
        },
        ..current
    };
    let (lock, subject) = (Lock::Read, Subject::Organisation);
    let committed = Box::pin(commit::commit_revision_in(
        transaction,
        database,
        id,
        lock,
        subject,
        move |scope| Box::pin(rename(scope, name)),
    ));
    let committed = origin.scope(committed).await?;
    Ok(committed.unwrap_or(Committed::unchanged(())))
}

/// `None` if the organisation has the name already.
async fn rename(scope: Scope<'_>, name: String) -> Result<Option<Changed<()>>, Error> {
    let revision = scope.stamp.revision.0;
    let renamed = Entity::update_many()
        .set(ActiveModel {
            name: Set(name.clone()),
            ..Default::default()
        })
        .col_expr(
            Column::SettingsVersion,
            Expr::case(Column::SettingsVersion.lt(revision), revision)
                .finally(Expr::col(Column::SettingsVersion).add(1))
                .into(),
        )
        .filter(Column::Id.eq(scope.organisation.as_str()))
        .filter(Column::Name.ne(name))
        .run(scope.transaction)
        .await?;
    let renamed = renamed > 0;
    Ok(renamed.then(|| Changed::new((), vec![Event::OrganisationUpdated])))
}

/// Stores the name and settings of an organisation.
async fn update(transaction: &Transaction, state: &Organisation) -> Result<(), Error> {
    let row = ActiveModel {
        id: Set(state.id.as_str().to_owned()),
        name: Set(state.name.clone()),
        time_zone: Set(state.time_zone.to_string()),
        page_title: Set(state.page_title.clone()),
        page_description: Set(state.page_description.clone()),
        support_url: Set(state.support_url.clone()),
        notify_by_default: Set(state.notify_by_default),
        public_channels: Set(
            serde_json::to_string(&state.public_channels).map_err(Error::internal)?
        ),
        reminder_hours: Set(state.reminder_hours.map(i32::from)),
        settings_version: Set(state.version.0),
        ..Default::default()
    };
    Entity::update(row).run(transaction).await?;
    Ok(())
}

fn organisation_from(
    row: Model,
    claim: Option<domain_claim::Model>,
) -> Result<Organisation, Error> {
    Ok(Organisation {
        id: parse_stored(&row.id)?,
        name: row.name,
        time_zone: parse_stored(&row.time_zone)?,
        page_title: row.page_title,
        page_description: row.page_description,
        support_url: row.support_url,
        notify_by_default: row.notify_by_default,
        public_channels: serde_json::from_str(&row.public_channels).map_err(Error::internal)?,
        reminder_hours: row
            .reminder_hours
            .map(u16::try_from)
            .transpose()
            .map_err(Error::internal)?,
        domain: claim.map(DomainClaim::try_from).transpose()?,
        revision: Revision(row.revision),
        version: Revision(row.settings_version),
    })
}
