//! The components that the rows of a file name.

use std::collections::{HashMap, HashSet};

use allclear_domain::id::ComponentId;
use allclear_domain::subscriber::{Choice, Scope};
use allclear_domain::text::shorten;

use super::{CsvComponent, NO_COMPONENT};

/// The error of a cell that is not empty and names no component: it must not mean everything.
const NAMES_NOTHING: &str = "Names no component";
/// Most characters of a cell in a message.
const MAX_QUOTED_LENGTH: usize = 100;

/// The beginning of a cell, for a message: the cell may be as long as the file.
fn quoted(text: &str) -> String {
    let mut quoted: String = text.chars().take(MAX_QUOTED_LENGTH + 1).collect();
    shorten(&mut quoted, MAX_QUOTED_LENGTH);
    quoted
}

/// The components that rows may name.
pub(super) struct Names {
    by_name: HashMap<String, Option<ComponentId>>,
    by_code: HashMap<String, ComponentId>,
}

impl Names {
    pub(super) fn of(components: Vec<CsvComponent>) -> Self {
        let mut names = Self {
            by_name: HashMap::new(),
            by_code: HashMap::new(),
        };
        for CsvComponent { id, name, .. } in components {
            names.by_code.insert(id.code().to_string(), id);
            names
                .by_name
                .entry(name)
                .and_modify(|known| *known = None)
                .or_insert(Some(id));
        }
        names
    }

    /// The scope of a cell: everything if it is empty.
    pub(super) fn scope(&self, cell: &str) -> Result<Scope, String> {
        if cell.trim().is_empty() {
            return Ok(Scope::All);
        }
        // The last component may have a semicolon behind it. A cell may be as long as the file, and
        // other requests are handled by the same thread.
        if cell.split(';').nth(Choice::MAX_LENGTH + 1).is_some() {
            return Err(format!("Names more than {} components", Choice::MAX_LENGTH));
        }
        let (mut components, mut known) = (Vec::new(), HashSet::new());
        for text in cell
            .split(';')
            .map(str::trim)
            .filter(|text| !text.is_empty())
        {
            if text == NO_COMPONENT {
                return Err(NAMES_NOTHING.to_owned());
            }
            let found = match (self.by_name.get(text), self.by_code.get(text)) {
                (Some(Some(id)), _) | (_, Some(id)) => *id,
                (Some(None), None) => {
                    return Err(format!(
                        "Several components are called \"{}\": use the code",
                        quoted(text)
                    ));
                }
                (None, None) => {
                    return Err(format!("There is no component \"{}\"", quoted(text)));
                }
            };
            if known.insert(found) {
                components.push(found);
            }
        }
        if components.is_empty() {
            return Err(NAMES_NOTHING.to_owned());
        }
        if components.len() > Choice::MAX_LENGTH {
            return Err(format!("Names more than {} components", Choice::MAX_LENGTH));
        }
        Ok(Scope::Components(Choice {
            components,
            groups: Vec::new(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use uuid::Uuid;

    fn component(number: u128, name: &str) -> CsvComponent {
        CsvComponent {
            id: ComponentId(Uuid::from_u128(number)),
            name: name.into(),
            group: None,
        }
    }

    #[test]
    fn a_cell_names_components_by_name_or_code() {
        let (api, web) = (component(1, "API"), component(2, "Web site"));
        let code = api.id.code().to_string();
        let chosen = |components: &[ComponentId]| {
            Ok(Scope::Components(Choice {
                components: components.to_vec(),
                groups: Vec::new(),
            }))
        };
        let names = Names::of(vec![api.clone(), web.clone()]);
        assert_eq!(names.scope(" "), Ok(Scope::All));
        for none in [NO_COMPONENT, ";", " ; ", &";".repeat(Choice::MAX_LENGTH)] {
            assert_eq!(names.scope(none), Err(NAMES_NOTHING.to_owned()));
        }
        assert_eq!(names.scope("API;"), chosen(&[api.id]));
        assert_eq!(names.scope("Web site; API"), chosen(&[web.id, api.id]));
        assert_eq!(names.scope(&format!("{code};API")), chosen(&[api.id]));
        assert!(names.scope("api").unwrap_err().contains("no component"));
        let twins = Names::of(vec![api, component(3, "API")]);
        assert!(twins.scope("API").unwrap_err().contains("use the code"));
        assert!(twins.scope(&code).is_ok());
    }

    #[test]
    fn a_cell_has_a_largest_number_of_components() {
        let components = (0..=200).map(|number| component(number, &format!("C{number}")));
        let names = Names::of(components.collect());
        let cell = |number: u128| {
            let cells = (0..number).map(|number| format!("C{number};"));
            cells.collect::<String>()
        };
        assert!(names.scope(&cell(200)).is_ok());
        let too_many = Err("Names more than 200 components".to_owned());
        for cell in [cell(201), ";".repeat(201), ";".repeat(16 * 1024 * 1024)] {
            assert_eq!(names.scope(&cell), too_many);
        }
    }

    #[test]
    fn an_error_quotes_the_beginning_of_a_long_cell() {
        let names = Names::of(Vec::new());
        let error = names.scope(&"ä".repeat(1_000)).unwrap_err();
        let beginning = "ä".repeat(MAX_QUOTED_LENGTH);
        assert_eq!(error, format!("There is no component \"{beginning}…\""));
    }
}
