//! The public history.

mod component;
mod incident;
mod maintenance;
#[cfg(test)]
mod query_plan_tests;
mod uptime;

use std::cmp::Reverse;
use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::history::{
    AffectedOverTime, COMPONENTS_SHOWN, DisplayedUpdate, ENTRIES_SHOWN, History, HistoryDetails,
    HistorySelection, PageOwner, PublicHistoryStore, SUMMARY_LENGTH, UPDATES_SHOWN,
};
use allclear_application::status_page::size::{Budget, PAGE_BYTES};
use allclear_application::status_page::uptime::{UptimePage, UptimeSelection};
use allclear_domain::code::Code;
use allclear_domain::history::HistoryMonths;
use allclear_domain::id::OrganisationId;
use allclear_domain::status_period::StatusSpan;
use allclear_domain::text::shorten;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::FromQueryResult;
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement};
use uuid::Uuid;

use self::component::{ShownComponent, named_in_page_order};
use crate::database::Database;
use crate::entity::component::{Column, Entity};
use crate::error::{broken, parse_stored};
use crate::organisation;
use crate::statement::RunStatement;
use crate::transaction::Transaction;

#[async_trait]
impl PublicHistoryStore for Database {
    async fn history(
        &self,
        organisation: &OrganisationId,
        selection: HistorySelection,
        now: DateTime<Utc>,
    ) -> Result<Option<History>, Error> {
        let id = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move { history(transaction, &id, selection, now).await })
        })
        .await
    }

    async fn uptime(
        &self,
        organisation: &OrganisationId,
        selection: UptimeSelection,
        now: DateTime<Utc>,
    ) -> Result<Option<UptimePage>, Error> {
        let id = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let Some(owner) = owner(transaction, &id).await? else {
                    return Ok(None);
                };
                uptime::page(transaction, owner, selection, now).await
            })
        })
        .await
    }

    async fn incident_details(
        &self,
        organisation: &OrganisationId,
        code: Code,
    ) -> Result<Option<HistoryDetails>, Error> {
        let id = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let Some(owner) = owner(transaction, &id).await? else {
                    return Ok(None);
                };
                incident::details(transaction, owner, code).await
            })
        })
        .await
    }

    async fn maintenance_details(
        &self,
        organisation: &OrganisationId,
        code: Code,
        now: DateTime<Utc>,
    ) -> Result<Option<HistoryDetails>, Error> {
        let id = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let Some(owner) = owner(transaction, &id).await? else {
                    return Ok(None);
                };
                maintenance::details(transaction, owner, code, now).await
            })
        })
        .await
    }
}

async fn history(
    transaction: &Transaction,
    id: &OrganisationId,
    selection: HistorySelection,
    now: DateTime<Utc>,
) -> Result<Option<History>, Error> {
    let Some(owner) = owner(transaction, id).await? else {
        return Ok(None);
    };
    let stored = components(transaction, id).await?;
    let chosen = match selection.component {
        None => None,
        Some(code) => match stored.iter().find(|it| it.component.code == code) {
            Some(found) => Some(found.row.id),
            None => return Ok(None),
        },
    };
    let months = HistoryMonths::of_page(selection.page, owner.time_zone, now);
    let mut shown = History {
        owner,
        components: stored.into_iter().map(|it| it.component).collect(),
        months: months.clone(),
        entries: Vec::new(),
        complete_since: None,
        has_older: false,
    };
    let Some(months) = months else {
        return Ok(Some(shown));
    };
    for mut entries in [
        incident::entries(transaction, id, &months, chosen).await?,
        maintenance::entries(transaction, id, &months, chosen, now).await?,
    ] {
        let limit = usize::try_from(ENTRIES_SHOWN).map_err(Error::internal)?;
        if entries.len() > limit {
            entries.truncate(limit);
            let oldest = entries.last().map(|entry| entry.start_at);
            shown.complete_since = Ord::max(shown.complete_since, oldest);
        }
        shown.entries.append(&mut entries);
    }
    shown
        .entries
        .sort_by_key(|entry| (Reverse(entry.start_at), entry.code));
    for older in [
        incident::before(id, months.start_at),
        maintenance::before(id, months.start_at),
    ] {
        shown.has_older |= transaction.fetch_row(&older).await?.is_some();
    }
    Ok(Some(shown))
}

async fn owner(transaction: &Transaction, id: &OrganisationId) -> Result<Option<PageOwner>, Error> {
    let found = organisation::find(transaction, id).await?;
    Ok(found.map(|organisation| PageOwner {
        title: organisation.effective_title().to_owned(),
        time_zone: organisation.time_zone,
        domain: organisation.verified_domain().cloned(),
        channels: organisation.public_channels.offered().collect(),
        revision: organisation.revision,
        support_url: organisation.support_url,
        id: organisation.id,
    }))
}

/// The components of an organisation, in the order of the status page.
async fn components(
    transaction: &Transaction,
    id: &OrganisationId,
) -> Result<Vec<ShownComponent>, Error> {
    named_in_page_order(transaction, id, crate::component::of(id)).await
}

/// The beginning of a description, so that a page of long descriptions stays small.
fn summary(description: &'static str) -> Expr {
    Func::cust("substr")
        .arg(Expr::col(description))
        .arg(1)
        .arg(SUMMARY_LENGTH + 1)
        .into()
}

/// Shortens a description to the length of a summary.
fn shortened(mut summary: String) -> String {
    let length = usize::try_from(SUMMARY_LENGTH).unwrap_or(usize::MAX);
    shorten(&mut summary, length);
    summary
}

#[derive(FromQueryResult)]
struct UpdateRow {
    id: Uuid,
    status: String,
    message: String,
    display_at: DateTime<Utc>,
}

/// Selects the latest updates, one more than are shown.
fn updates(table: &'static str, parent: &'static str, id: Uuid) -> SelectStatement {
    use sea_orm::Order::Desc;
    Query::select()
        .columns(["id", "status", "message", "display_at"])
        .from(table)
        .and_where(Expr::col(parent).eq(id))
        .order_by("display_at", Desc)
        .order_by("id", Desc)
        .limit(UPDATES_SHOWN + 1)
        .take()
}

/// The latest updates that fit on a page, and whether older ones are left out.
async fn displayed(
    transaction: &Transaction,
    query: &SelectStatement,
) -> Result<(Vec<DisplayedUpdate>, bool), Error> {
    let rows = transaction.fetch_rows(query).await?;
    let update = |row| {
        let row = UpdateRow::from_query_result(row, "").map_err(broken)?;
        Ok(DisplayedUpdate {
            code: Code::of(row.id.as_bytes()).to_string(),
            status: parse_stored(&row.status)?,
            message: row.message,
            display_at: row.display_at,
        })
    };
    let mut updates = rows.iter().map(update).collect::<Result<Vec<_>, Error>>()?;
    let mut truncated = updates.len() as u64 > UPDATES_SHOWN;
    updates.truncate(usize::try_from(UPDATES_SHOWN).map_err(Error::internal)?);
    Budget::new(PAGE_BYTES).fit(&mut updates, &mut truncated)?;
    Ok((updates, truncated))
}

/// Affected components, those with the worst impact first, each with its periods, and whether some
/// are left out.
async fn affected(
    transaction: &Transaction,
    organisation: &OrganisationId,
    found: Vec<(Uuid, AffectedOverTime)>,
    mut periods: HashMap<Uuid, Vec<StatusSpan>>,
) -> Result<(Vec<AffectedOverTime>, bool), Error> {
    let listed = components(transaction, organisation).await?;
    let mut uses = HashMap::<_, u32>::new();
    for it in &listed {
        *uses.entry(&*it.component.name).or_default() += 1;
    }
    let places: HashMap<_, _> = listed.iter().map(|it| (it.row.id, &it.component)).collect();
    let mut affected: Vec<_> = found
        .into_iter()
        .map(|(id, mut affected)| {
            affected.periods = periods.remove(&id).unwrap_or_default();
            let component = &mut affected.component;
            component.group = places.get(&id).and_then(|place| place.group.clone());
            affected.has_namesake = uses.get(&*component.name).is_some_and(|uses| *uses > 1);
            affected
        })
        .collect();
    affected.sort_by(|a, b| {
        let name = |it: &AffectedOverTime| (it.component.name.clone(), it.component.group.clone());
        b.impact.cmp(&a.impact).then_with(|| name(a).cmp(&name(b)))
    });
    let shown = usize::try_from(COMPONENTS_SHOWN).unwrap_or(usize::MAX);
    let truncated = affected.len() > shown;
    affected.truncate(shown);
    Ok((affected, truncated))
}

/// Whether an entry belongs to these months, for a query of their table.
fn within(time: &'static str, id: &OrganisationId, months: &HistoryMonths) -> sea_orm::Condition {
    sea_orm::Condition::all()
        .add(Expr::col("organisation_id").eq(id.as_str()))
        .add(Expr::col(time).gte(months.start_at))
        .add(Expr::col(time).lt(months.end_at))
}

/// Selects one row of before a time, if there is one.
fn any_before(
    table: &'static str,
    time: &'static str,
    id: &OrganisationId,
    start_at: DateTime<Utc>,
) -> SelectStatement {
    Query::select()
        .column("id")
        .from(table)
        .and_where(Expr::col("organisation_id").eq(id.as_str()))
        .and_where(Expr::col(time).lt(start_at))
        .order_by(time, sea_orm::Order::Desc)
        .limit(1)
        .take()
}

/// Selects the components that `table` links with an incident or a maintenance.
fn links(
    table: &'static str,
    parent: &'static str,
    id: Uuid,
    columns: &[&'static str],
) -> SelectStatement {
    Query::select()
        .columns([
            (Entity, Column::Id),
            (Entity, Column::Code),
            (Entity, Column::Name),
        ])
        .columns(columns.iter().map(|column| (table, *column)))
        .from(table)
        .inner_join(
            Entity,
            Expr::col((Entity, Column::Id)).equals((table, "component_id")),
        )
        .and_where(Expr::col((table, parent)).eq(id))
        .take()
}

/// A condition that the component is linked with the row of `owner`. It compares a
/// subquery, because PostgreSQL would turn EXISTS into a join with every entry that ever
/// affected the component.
fn has_component(
    table: &'static str,
    parent: &'static str,
    owner: &'static str,
    component: Uuid,
) -> Expr {
    let link = Query::select()
        .column((table, "component_id"))
        .from(table)
        .and_where(Expr::col((table, parent)).equals((owner, "id")))
        .and_where(Expr::col((table, "component_id")).eq(component))
        .take();
    Expr::SubQuery(None, Box::new(link.into())).is_not_null()
}
