//! `docs/conformance.md` names Rust tests that exist. The rows of the web app's tests are checked by
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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tests of this binary, as its runner lists them: `identity::account::some_name`.
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
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
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
        let module = path.with_extension("").display().to_string();
        let name = format!("{}::{test}", module.replace('/', "::"));
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
fn only_test_functions_are_found() {
    let source = "\
        #[test]\n#[should_panic]\nfn plain() {}\n\
        #[tokio::test(start_paused = true)]\nasync fn waits() {}\n\
        fn helper() {}\n\
        // #[test]\nfn disabled() {}\n";
    let expected = HashSet::from(["plain".to_owned(), "waits".to_owned()]);
    assert_eq!(tests_in(source), expected);
}
