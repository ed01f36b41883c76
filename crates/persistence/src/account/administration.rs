//! Accounts as the operator of an installation changes them on the command line.

use allclear_application::account::DeletionOutcome;
use allclear_application::error::Error;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::membership::Role;
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::owner;
use crate::audit::NewAuditItems;
use crate::database::Database;
use crate::entity::{membership as member, organisation, user};
use crate::error::parse_stored;
use crate::membership;
use crate::organisation::find_by_id_or_code;
use crate::organisation::lock::lock;
use crate::statement::Fetch;
use crate::transaction::Transaction;

/// An account with one of its memberships.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAccount {
    /// The mail address.
    pub address: String,
    /// The person's name.
    pub name: String,
    /// Identifier and name of an organisation, and the role in it; `None` if the account
    /// belongs to none.
    pub membership: Option<(String, String, Role)>,
}

/// Result of a request to make an account an admin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MakeAdminOutcome {
    /// The account is an admin of the organisation now.
    Made(UserId, OrganisationId),
    /// The account was an admin already.
    Already,
    /// No account has this address.
    NoAccount,
    /// There is no such organisation.
    NoOrganisation,
}

impl Database {
    /// Lists accounts with their memberships, oldest account first: one row for each membership of
    /// the first `limit` accounts after `after`. Returns the last of these accounts, too.
    pub async fn list_accounts(
        &self,
        after: Option<UserId>,
        limit: u64,
    ) -> Result<(Vec<ListedAccount>, Option<UserId>), Error> {
        let mut accounts = user::Entity::find().order_by_asc(user::Column::Id);
        if let Some(after) = after {
            accounts = accounts.filter(user::Column::Id.gt(after.0));
        }
        let accounts = accounts.limit(limit).fetch_all(self.read()).await?;
        let last = accounts.last().map(|account| UserId(account.id));
        let ids: Vec<Uuid> = accounts.iter().map(|account| account.id).collect();
        let memberships = member::Entity::find()
            .filter(member::Column::UserId.is_in(ids))
            .find_also_related(organisation::Entity)
            .order_by_asc(member::Column::OrganisationId)
            .fetch_all(self.read())
            .await?;
        let mut listed = Vec::new();
        for account in accounts {
            let one = ListedAccount {
                address: account.email,
                name: account.name,
                membership: None,
            };
            let before = listed.len();
            for (row, organisation) in &memberships {
                let Some(organisation) =
                    organisation.as_ref().filter(|_| row.user_id == account.id)
                else {
                    continue;
                };
                let role = parse_stored(&row.role)?;
                let (id, name) = (organisation.id.clone(), organisation.name.clone());
                listed.push(ListedAccount {
                    membership: Some((id, name, role)),
                    ..one.clone()
                });
            }
            if listed.len() == before {
                listed.push(one);
            }
        }
        Ok((listed, last))
    }

    /// Makes the account with an address an admin of the organisation with an identifier or code,
    /// also if it is not a member.
    pub async fn make_admin(&self, address: &str, name: &str) -> Result<MakeAdminOutcome, Error> {
        let (address, name, now) = (EmailKey::of(address), name.to_owned(), self.clock.now());
        self.write_audited(move |transaction| {
            Box::pin(async move { make_admin(transaction, &address, &name, now).await })
        })
        .await
    }

    /// Deletes the account with an address as its own session can, by the same rules. Returns the
    /// account with the result; `None` if no account has the address.
    pub async fn delete_account_with(
        &self,
        address: &str,
    ) -> Result<Option<(UserId, DeletionOutcome)>, Error> {
        let Some(account) = owner(self.read(), &EmailKey::of(address)).await? else {
            return Ok(None);
        };
        let id = account.user.id;
        let outcome = Box::pin(self.delete_account(id, None)).await?;
        Ok(Some((id, outcome)))
    }
}

async fn make_admin(
    transaction: &Transaction,
    address: &EmailKey,
    organisation: &str,
    now: DateTime<Utc>,
) -> Result<(MakeAdminOutcome, NewAuditItems), Error> {
    let unchanged = |why: MakeAdminOutcome| (why, NewAuditItems::unchanged());
    let Some(organisation) = find_by_id_or_code(transaction, organisation).await? else {
        return Ok(unchanged(MakeAdminOutcome::NoOrganisation));
    };
    let Some(account) = owner(transaction, address).await? else {
        return Ok(unchanged(MakeAdminOutcome::NoAccount));
    };
    lock(transaction, &organisation).await?;
    let id = account.user.id;
    let before = membership::member_state(transaction, &organisation, id).await?;
    let before = before.map(|member| member.role);
    match before {
        Some(Role::Admin) => return Ok(unchanged(MakeAdminOutcome::Already)),
        Some(_) => membership::set_role(transaction, &organisation, id, Role::Admin).await?,
        None => membership::insert(transaction, &organisation, id, Role::Admin, now).await?,
    }
    let roles = (before, Some(Role::Admin));
    let audit_items = membership::audit_items(transaction, &organisation, id, now, roles).await?;
    Ok((MakeAdminOutcome::Made(id, organisation), audit_items))
}
