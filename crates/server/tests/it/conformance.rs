//! `docs/conformance.md` names tests that are there.

use std::path::Path;

/// How the document shortens paths.
const FOLDERS: [(&str, &str); 4] = [
    ("web/", "apps/web/src/"),
    ("e2e/", "apps/web/e2e/"),
    ("it/", "crates/server/tests/it/"),
    ("domain/", "crates/domain/src/"),
];

#[test]
fn every_row_of_the_conformance_table_names_a_test_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = std::fs::read_to_string(root.join("docs/conformance.md")).unwrap();
    let mut rows = 0;
    for row in document
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains(" | `"))
    {
        let (_, shown_by) = row.rsplit_once(" | `").unwrap();
        let (file, test) = shown_by.split_once("` ").expect(row);
        let test = test.strip_suffix(" |").expect(row);
        let (short, folder) = FOLDERS
            .into_iter()
            .find(|(short, _)| file.starts_with(short))
            .expect(row);
        let path = root.join(file.replacen(short, folder, 1));
        let tests = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{row}: {error}"));
        assert!(tests.contains(test), "there is no such test: {row}");
        rows += 1;
    }
    assert!(rows > 150, "{rows} rows");
}
