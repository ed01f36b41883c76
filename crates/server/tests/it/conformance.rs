//! `docs/conformance.md` and `docs/asvs.md` name Rust tests that exist. The rows of
//! `docs/conformance.md` about the web app's tests are checked by
//! `apps/web/build/conformance.test.ts`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Path and test of each row whose path begins with `folder`.
fn rows(folder: &str) -> Vec<(PathBuf, String)> {
    let document = std::fs::read_to_string(root().join("docs/conformance.md")).unwrap();
    let tests = document
        .lines()
        .filter(|line| line.starts_with("| "))
        .filter_map(|line| line.rsplit_once(" | `"))
        .map(|(_, test)| test.strip_suffix(" |").unwrap().split_once("` ").unwrap());
    tests
        .filter_map(|(path, test)| Some((path.strip_prefix(folder)?.into(), test.to_owned())))
        .collect()
}

/// A requirement of `docs/asvs.md`.
struct Requirement {
    number: String,
    state: String,
    /// File that shows it, and the name of its test; empty if the file itself shows it.
    shown_by: Option<(String, String)>,
}

/// The rows of `docs/asvs.md` whose first cell begins with a number.
fn requirements() -> Vec<Requirement> {
    let document = std::fs::read_to_string(root().join("docs/asvs.md")).unwrap();
    let rows = document.lines().filter_map(|line| line.strip_prefix("| "));
    let rows = rows.filter(|row| row.starts_with(|first: char| first.is_ascii_digit()));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_end_matches('|').split(" | ").collect();
        let shown_by = cells.get(4).and_then(|cell| {
            let (path, test) = cell.strip_prefix('`')?.split_once('`')?;
            Some((path.to_owned(), test.trim().to_owned()))
        });
        Requirement {
            number: cells[0].to_owned(),
            state: cells[2].to_owned(),
            shown_by,
        }
    })
    .collect()
}

/// Requirements of ASVS 5.0 of the levels 1 and 2.
const ASVS_REQUIREMENTS: usize = 253;

/// The count of the requirements of a row, such as `1.2.3` or `1.2.3, 1.3.1 to 1.3.4`.
fn count_of(numbers: &str) -> usize {
    let last = |number: &str| -> usize { number.rsplit('.').next().unwrap().parse().unwrap() };
    let counts = numbers
        .split(", ")
        .map(|range| match range.split_once(" to ") {
            Some((first, end)) => last(end) - last(first) + 1,
            None => 1,
        });
    counts.sum()
}

/// A file as a row names it.
fn file(path: &str) -> PathBuf {
    let folders = [
        ("it/", "crates/server/tests/it"),
        ("domain/", "crates/domain/src"),
        ("web/", "apps/web/src"),
        ("e2e/", "apps/web/e2e"),
    ];
    let mut folders = folders.iter();
    let found = folders.find_map(|(short, folder)| Some((folder, path.strip_prefix(short)?)));
    found.map_or_else(
        || root().join(path),
        |(folder, rest)| root().join(folder).join(rest),
    )
}

/// The name of a test of this binary, as its runner writes it.
fn name_of(path: &Path, test: &str) -> String {
    let module = path.with_extension("").display().to_string();
    format!("{}::{test}", module.replace('/', "::"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tests of this binary, as its runner lists them: `built_in::account::some_name`.
fn tests_of_this_binary() -> HashSet<String> {
    let list = Command::new(std::env::current_exe().unwrap())
        .args(["--list", "--format", "terse"])
        .output()
        .unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    list.lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .map(str::to_owned)
        .collect()
}

/// The functions of a source file that carry a test attribute.
fn tests_in(source: &str) -> HashSet<String> {
    let mut tests = HashSet::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            let attributes = ["#[test]", "#[tokio::test", "#[actix_web::test"];
            is_test |= attributes.iter().any(|start| line.starts_with(start));
            continue;
        }
        let function = line.strip_prefix("async ").unwrap_or(line);
        if let Some((name, _)) = function
            .strip_prefix("fn ")
            .and_then(|rest| rest.split_once('('))
            && is_test
        {
            tests.insert(name.to_owned());
        }
        is_test = false;
    }
    tests
}

#[test]
fn every_row_about_the_server_names_a_test_of_this_binary() {
    let tests = tests_of_this_binary();
    let rows = rows("it/");
    assert!(rows.len() > 40, "{} rows", rows.len());
    for (path, test) in rows {
        let name = name_of(&path, &test);
        assert!(tests.contains(&name), "there is no test {name}");
    }
}

#[test]
fn every_row_about_the_domain_names_a_test_function_of_its_file() {
    let rows = rows("domain/");
    assert!(!rows.is_empty());
    for (path, test) in rows {
        let path = root().join("crates/domain/src").join(path);
        let source = std::fs::read_to_string(&path).unwrap();
        assert!(
            tests_in(&source).contains(&test),
            "{} has no test {test}",
            path.display()
        );
    }
}

#[test]
fn every_met_requirement_names_a_test_or_a_file_that_exists() {
    let tests = tests_of_this_binary();
    let requirements = requirements();
    let count: usize = requirements
        .iter()
        .map(|requirement| count_of(&requirement.number))
        .sum();
    assert_eq!(count, ASVS_REQUIREMENTS);
    for Requirement {
        number,
        state,
        shown_by,
    } in requirements
    {
        let states = ["met", "not applicable", "open"];
        assert!(states.contains(&state.as_str()), "{number}: {state}");
        assert_eq!(shown_by.is_some(), state == "met", "{number}");
        let Some((path, test)) = shown_by else {
            continue;
        };
        let source = std::fs::read_to_string(file(&path));
        let source = source.unwrap_or_else(|error| panic!("{number}: {path}: {error}"));
        let is_there = if let Some(path) = path.strip_prefix("it/") {
            tests.contains(&name_of(Path::new(path), &test))
        } else if Path::new(&path).extension().is_some_and(|it| it == "rs") && !test.is_empty() {
            tests_in(&source).contains(&test)
        } else {
            source.contains(&test)
        };
        assert!(is_there, "{number}: {path} has no test {test}");
    }
}

#[test]
fn only_test_functions_are_found() {
    let source = "\
        #[test]\n#[should_panic]\nfn plain() {}\n\
        #[tokio::test(start_paused = true)]\nasync fn waits() {}\n\
        fn helper() {}\n\
        // #[test]\nfn disabled() {}\n";
    let expected = HashSet::from(["plain".to_owned(), "waits".to_owned()]);
    assert_eq!(tests_in(source), expected);
}
