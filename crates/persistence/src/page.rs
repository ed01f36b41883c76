//! Pages of lists.

use allclear_application::error::Error;
use allclear_application::page::{Listed, Page};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use crate::statement::Fetch;

/// Reads a page of the selected rows, sorted by `id`, newest first. `id_of` returns a row's `id`.
pub(crate) async fn read<E: EntityTrait>(
    connection: &impl ConnectionTrait,
    selected: Select<E>,
    page: Page,
    id: E::Column,
    id_of: impl Fn(&E::Model) -> Uuid,
) -> Result<Listed<E::Model>, Error> {
    let mut query = selected.order_by_desc(id);
    if let Some(before) = page.before {
        query = query.filter(id.lt(before));
    }
    read_sorted(connection, query, page, id_of).await
}

/// Reads the start of rows that are sorted already, and are those after the page's `before`.
pub(crate) async fn read_sorted<Q: QuerySelect + Fetch>(
    connection: &impl ConnectionTrait,
    selected: Q,
    page: Page,
    id_of: impl Fn(&Q::Item) -> Uuid,
) -> Result<Listed<Q::Item>, Error> {
    let query = selected.limit(page.limit.map(|limit| limit + 1));
    let rows = query.fetch_all(connection).await?;
    Ok(Listed::cut(rows, page, id_of))
}
