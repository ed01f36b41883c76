use super::*;
use crate::validation::Invalid;
use proptest::prelude::*;

fn sign_up(name: &str, email: &str, password: &str) -> Result<(), Invalid> {
    let password = Password::new(password.into());
    SignUpDraft {
        name: name.into(),
        email: email.into(),
        password,
    }
    .validate()
    .map_err(Invalid::from)
}

const GOOD: &str = "correct horse battery";

proptest! {
    #[test]
    fn a_password_is_accepted_exactly_within_its_limits(password in "\\PC{0,270}") {
        let fits = (10..=256).contains(&password.chars().count());
        prop_assert_eq!(sign_up("Ann", "ann@example.com", &password).is_ok(), fits);
    }
}

#[test]
fn every_field_says_what_is_wrong_with_it() {
    let refused = sign_up("", "ann", "short").unwrap_err();
    let found: Vec<_> = refused
        .errors
        .iter()
        .map(|error| (error.field.as_str(), error.message.as_str()))
        .collect();
    let wanted = [
        ("email", "Invalid email address"),
        ("name", "Name is required"),
        ("password", "Must be at least 10 characters"),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn too_long_values_are_refused() {
    let long = Invalid::field("password", "Must be at most 256 characters");
    assert_eq!(
        sign_up("Ann", "ann@example.com", &"x".repeat(257)),
        Err(long)
    );
    let long = Invalid::field("name", "Must be at most 200 characters");
    assert_eq!(
        sign_up(&"x".repeat(201), "ann@example.com", GOOD),
        Err(long)
    );
}

#[test]
fn fields_of_a_password_change_are_written_as_forms_write_them() {
    let draft = PasswordChangeDraft {
        current_password: Password::new(String::new()),
        new_password: Password::new("short".into()),
    };
    let refused = Invalid::from(draft.validate().unwrap_err());
    let fields: Vec<_> = refused
        .errors
        .iter()
        .map(|error| error.field.as_str())
        .collect();
    assert_eq!(fields, ["currentPassword", "newPassword"]);
}

#[test]
fn a_password_that_was_short_enough_once_can_still_sign_in() {
    let draft = SignInDraft {
        email: "ann@example.com".into(),
        password: Password::new("short".into()),
    };
    assert!(draft.validate().is_ok());
}

#[test]
fn a_password_is_not_shown_when_debugged() {
    let draft = SignInDraft {
        email: "ann@example.com".into(),
        password: Password::new(GOOD.into()),
    };
    assert!(!format!("{draft:?}").contains("horse"));
}
