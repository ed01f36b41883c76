//! The accounts to which an address may belong at sign-in.

use allclear_application::account::{Candidates, Credentials};
use allclear_application::error::Error;
use allclear_domain::email::EmailKey;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

use crate::entity::user::{Column, Entity};
use crate::statement::{Fetch, exists};

/// Returns the accounts to which an address may belong.
pub(super) async fn of(
    connection: &impl ConnectionTrait,
    address: &EmailKey,
) -> Result<Candidates, Error> {
    let owner = owner_in_equal_time(connection, address).await?;
    let any = exists(Entity::find().filter(without_address()), connection).await?;
    let mut others = Vec::new();
    if any {
        others = Entity::find()
            .filter(Column::EmailKey.eq(address.as_str()))
            .filter(without_address())
            .order_by_asc(Column::Id)
            .fetch_all(connection)
            .await?;
    }
    Ok(Candidates {
        owner,
        without_address: others.into_iter().map(Credentials::from).collect(),
        any_without_address: any,
    })
}

/// Returns the account with an address. If there is none, reads a row of another account, because
/// the time that a row takes would reveal whether the address has an account.
async fn owner_in_equal_time(
    connection: &impl ConnectionTrait,
    address: &EmailKey,
) -> Result<Option<Credentials>, Error> {
    let read = owner_or_another(address).fetch_one(connection).await?;
    let found = read.filter(|row| row.email_key == address.as_str() && !row.needs_address);
    Ok(found.map(Credentials::from))
}

/// The account with an address, or else another one.
fn owner_or_another(address: &EmailKey) -> Select<Entity> {
    let another = Query::select()
        .column(Column::Id)
        .from(Entity)
        .limit(1)
        .take();
    // Compared with `=`: for `IN`, PostgreSQL would read all accounts.
    let another = Expr::SubQuery(None, Box::new(another.into()));
    Entity::find()
        .filter(owned(address).or(Expr::col(Column::Id).eq(another)))
        .order_by_desc(owned(address))
        .limit(1)
}

/// The condition for the account that has an address.
pub(super) fn owned(address: &EmailKey) -> Expr {
    Column::EmailKey
        .eq(address.as_str())
        .and(Expr::cust("NOT needs_address"))
}

fn without_address() -> Expr {
    Expr::cust("needs_address")
}

#[cfg(test)]
mod query_plan_tests;
