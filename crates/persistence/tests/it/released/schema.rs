//! The schema of a database, as lines that can be compared.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};

/// The column `line` of the rows of a query, sorted.
pub(super) async fn lines(connection: &DatabaseConnection, sql: &str) -> Vec<String> {
    let rows = connection
        .query_all_raw(Statement::from_string(
            connection.get_database_backend(),
            sql,
        ))
        .await
        .unwrap();
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| row.try_get("", "line").unwrap())
        .collect();
    lines.sort();
    lines
}

/// The names of its tables.
pub(super) async fn tables(connection: &DatabaseConnection) -> Vec<String> {
    let sql = match connection.get_database_backend() {
        DbBackend::Sqlite => {
            "SELECT name AS line FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        }
        _ => {
            "SELECT table_name::text AS line FROM information_schema.tables WHERE table_schema = 'public'"
        }
    };
    lines(connection, sql).await
}

/// Its tables with their columns, keys, indexes and constraints.
pub(super) async fn schema(connection: &DatabaseConnection) -> Vec<String> {
    let described: &[&str] = match connection.get_database_backend() {
        DbBackend::Sqlite => &[
            COLUMNS_OF_SQLITE,
            INDEXES_OF_SQLITE,
            WHERES_OF_SQLITE,
            OWNERS_OF_SQLITE,
        ],
        _ => &[
            COLUMNS_OF_POSTGRESQL,
            INDEXES_OF_POSTGRESQL,
            CONSTRAINTS_OF_POSTGRESQL,
        ],
    };
    let mut schema = Vec::new();
    for sql in described {
        let found = lines(connection, sql).await;
        assert!(!found.is_empty(), "{sql}");
        schema.extend(found);
    }
    schema
}

const COLUMNS_OF_SQLITE: &str = r#"
    SELECT format('%s.%s %s null %d default %s key %d', t.name, c.name, c.type, NOT c."notnull", c.dflt_value, c.pk) AS line
    FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"#;
const INDEXES_OF_SQLITE: &str = r#"
    SELECT format('%s %s unique %d partial %d column %d %s descending %d', t.name, i.name, i."unique", i.partial, c.seqno,
        c.name, c."desc") AS line
    FROM sqlite_master t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"#;
/// The condition of a partial index is only in its statement.
const WHERES_OF_SQLITE: &str = "
    SELECT name || substr(sql, instr(sql, ' WHERE ')) AS line FROM sqlite_master
    WHERE type = 'index' AND instr(sql, ' WHERE ') > 0";
const OWNERS_OF_SQLITE: &str = r#"
    SELECT format('%s.%s of %s.%s deleted %s updated %s', t.name, k."from", k."table", k."to", k.on_delete, k.on_update) AS line
    FROM sqlite_master t, pragma_foreign_key_list(t.name) k WHERE t.type = 'table'"#;

const COLUMNS_OF_POSTGRESQL: &str = "
    SELECT format('%s.%s %s null %s default %s identity %s', table_name, column_name, data_type, is_nullable, column_default,
        identity_generation) AS line
    FROM information_schema.columns WHERE table_schema = 'public'";
const INDEXES_OF_POSTGRESQL: &str =
    "SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'public'";
const CONSTRAINTS_OF_POSTGRESQL: &str = "
    SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS line
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace";
