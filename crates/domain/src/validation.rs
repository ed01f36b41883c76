//! Errors of an input, per field, as texts for people.

use std::collections::BTreeSet;
use std::fmt::Write;

use validator::{Validate, ValidationError, ValidationErrors, ValidationErrorsKind};

/// A field with its error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The field as a form names it: `name`, `components[0].componentId`.
    pub field: String,
    /// The sentence to show beside the field.
    pub message: String,
}

impl FieldError {
    /// An error of a field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
        }
    }
}

/// The errors of an input, at least one.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("the input breaks rules of its fields")]
pub struct Invalid {
    /// Every broken rule, at most one for each field.
    pub errors: Vec<FieldError>,
}

impl Invalid {
    /// An input with one bad field.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            errors: vec![FieldError::new(field, message)],
        }
    }

    /// Maximum number of errors in one response. It bounds the work for an input with a hundred
    /// thousand wrong items.
    pub const MAX_ERRORS: usize = 100;

    /// Adds an error unless the field has one already: the first is the more basic one. At most
    /// [`Self::MAX_ERRORS`] errors are kept.
    pub fn add(&mut self, error: FieldError) {
        if self.errors.len() < Self::MAX_ERRORS
            && !self.errors.iter().any(|known| known.field == error.field)
        {
            self.errors.push(error);
        }
    }

    /// Adds the errors of a draft.
    pub fn check(&mut self, draft: &impl Validate) {
        self.merge(draft.validate().map_err(Self::from));
    }

    /// The value of a checked part of the input. `None` after adding its errors.
    pub fn merge<T>(&mut self, checked: Result<T, Self>) -> Option<T> {
        match checked {
            Ok(value) => Some(value),
            Err(invalid) => {
                for error in invalid.errors {
                    self.add(error);
                }
                None
            }
        }
    }

    /// Adds an error if a field breaks a rule.
    pub fn check_rule(&mut self, field: &str, rule: Result<(), ValidationError>) {
        if let Err(broken) = rule {
            self.add(FieldError::new(field, message(&broken)));
        }
    }

    /// `Ok` if there are no errors.
    ///
    /// # Errors
    /// `self`, if it has errors.
    pub fn into_result(self) -> Result<(), Self> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(self)
        }
    }
}

/// A text that follows every rule. It stands for one that an edit leaves as it is stored.
const STORED_TEXT: &str = "stored";

/// The text of an edit for a check without the stored item.
pub(crate) fn text_to_check(text: Option<&str>) -> String {
    text.unwrap_or(STORED_TEXT).to_owned()
}

/// Rejects items that are not among the known ones, each under its field.
///
/// # Errors
/// [`Invalid`] with one error for each unknown item.
pub fn check_known<T: Ord>(
    items: &[T],
    known: &[T],
    field: impl Fn(usize) -> String,
    message: &str,
) -> Result<(), Invalid> {
    let mut invalid = Invalid::default();
    for index in unknown(items, known) {
        invalid.add(FieldError::new(field(index), message));
    }
    invalid.into_result()
}

/// The positions in a list of items that are not among the known ones.
pub(crate) fn unknown<T: Ord>(items: &[T], known: &[T]) -> impl Iterator<Item = usize> {
    let known: BTreeSet<_> = known.iter().collect();
    items
        .iter()
        .enumerate()
        .filter(move |(_, item)| !known.contains(item))
        .map(|(index, _)| index)
}

/// The positions in a list of items that are equal to an earlier one.
pub(crate) fn repeated<T: Ord>(items: &[T]) -> impl Iterator<Item = usize> {
    let mut seen = BTreeSet::new();
    items
        .iter()
        .enumerate()
        .filter(move |(_, item)| !seen.insert(*item))
        .map(|(index, _)| index)
}

impl From<ValidationErrors> for Invalid {
    fn from(errors: ValidationErrors) -> Self {
        let mut invalid = Self::default();
        collect("", &errors, &mut invalid);
        invalid.errors.sort_by(|a, b| a.field.cmp(&b.field));
        invalid
    }
}

fn message(error: &ValidationError) -> &str {
    error.message.as_deref().unwrap_or("Invalid value")
}

/// Flattens nested errors, with paths in the form of formik.
fn collect(prefix: &str, errors: &ValidationErrors, into: &mut Invalid) {
    for (name, kind) in errors.errors() {
        let mut path = prefix.to_owned();
        if !prefix.is_empty() {
            path.push('.');
        }
        path.push_str(&camel_case(name));
        match kind {
            ValidationErrorsKind::Field(found) => {
                if let Some(first) = found.first() {
                    into.add(FieldError::new(path, message(first)));
                }
            }
            ValidationErrorsKind::Struct(nested) => collect(&path, nested, into),
            ValidationErrorsKind::List(items) => {
                for (index, nested) in items {
                    let mut item = path.clone();
                    // Writing to a String cannot fail.
                    let _ = write!(item, "[{index}]");
                    collect(&item, nested, into);
                }
            }
        }
    }
}

/// `component_id` as JSON and formik write it: `componentId`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.extend(letters);
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Validate)]
    struct Row {
        #[validate(length(min = 1, message = "Component is required"))]
        component_id: String,
    }

    #[derive(Validate)]
    struct Form {
        #[validate(length(min = 2, message = "Name is required"))]
        name: String,
        #[validate(nested)]
        components: Vec<Row>,
    }

    #[test]
    fn merge_returns_the_value_or_adds_the_errors_in_order() {
        let mut invalid = Invalid::field("name", "Name is required");
        assert_eq!(invalid.merge(Ok(7)), Some(7));
        let part: Result<u8, _> = Err(Invalid::field("email", "Invalid email address"));
        assert_eq!(invalid.merge(part), None);
        let fields = invalid.errors.iter().map(|error| error.field.as_str());
        assert_eq!(fields.collect::<Vec<_>>(), ["name", "email"]);
    }

    #[test]
    fn fields_are_written_as_formik_writes_them() {
        let form = Form {
            name: "a".into(),
            components: vec![
                Row {
                    component_id: "x".into(),
                },
                Row {
                    component_id: String::new(),
                },
            ],
        };
        let mut invalid = Invalid::default();
        invalid.check(&form);
        let found: Vec<_> = invalid
            .errors
            .iter()
            .map(|e| (e.field.as_str(), e.message.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("components[1].componentId", "Component is required"),
                ("name", "Name is required")
            ]
        );
    }

    #[test]
    fn input_with_many_errors_reports_some() {
        let mut invalid = Invalid::default();
        for index in 0..100_000 {
            invalid.add(FieldError::new(
                format!("ids[{index}]"),
                "Must be an identifier",
            ));
        }
        assert_eq!(invalid.errors.len(), Invalid::MAX_ERRORS);
    }

    #[test]
    fn a_field_keeps_its_first_error() {
        let mut invalid = Invalid::field("name", "first");
        invalid.add(FieldError::new("name", "second"));
        assert_eq!(invalid, Invalid::field("name", "first"));
        assert!(invalid.into_result().is_err());
        assert_eq!(Invalid::default().into_result(), Ok(()));
    }
}
