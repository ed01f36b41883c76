//! Parts of tables for several migrations.

use sea_orm_migration::prelude::*;

/// An index over these columns, in their order.
pub(crate) fn index(
    name: &'static str,
    table: &'static str,
    columns: &[&'static str],
) -> IndexCreateStatement {
    let mut index = Index::create().name(name).table(table).to_owned();
    for column in columns {
        index.col(*column);
    }
    index
}

/// A foreign key that deletes the row with its owner.
pub(crate) fn owned_by(
    name: &str,
    table: &'static str,
    column: &'static str,
    owner: &'static str,
) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(name)
        .from(table, column)
        .to(owner, "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}
