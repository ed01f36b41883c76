use allclear_application::audit::{AuditFilter, AuditStore};
use allclear_application::directory::{
    Credential, Directory, DirectoryStore, MemberChange, MemberRecord, NameRecord, Revocation,
    TokenStatus,
};
use allclear_application::organisation::OrganisationStore;
use allclear_application::page::Page;
use allclear_domain::audit::Action;
use allclear_domain::id::OrganisationId;
use allclear_domain::membership::Role;
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::clock;
use crate::contract;

contract!(
    newer_names_win_in_any_order,
    an_organisation_exists_from_its_first_name_on_and_a_fallback_gives_way,
    an_ended_session_is_over_for_every_token,
    a_user_or_member_who_comes_back_has_new_tokens,
    a_membership_that_ended_is_that_of_one_user_in_one_organisation,
    members_of_a_provider_are_audited_once_and_late_reports_are_not,
    a_deleted_organisation_is_gone_for_good,
    a_message_is_handled_once,
    old_revocations_are_deleted_except_those_of_organisations,
);

fn now() -> DateTime<Utc> {
    clock().now()
}

fn acme() -> OrganisationId {
    OrganisationId::parse("org_acme").unwrap()
}

fn known(name: &str, as_of: DateTime<Utc>) -> NameRecord {
    NameRecord {
        name: name.into(),
        as_of,
    }
}

fn credential(issued_at: DateTime<Utc>) -> Credential {
    Credential {
        session: "sess_1".into(),
        user: "user_1".into(),
        organisation: Some(acme()),
        issued_at,
    }
}

async fn token_status(database: &Database, credential: &Credential) -> TokenStatus {
    database.token_status(credential).await.unwrap()
}

async fn newer_names_win_in_any_order(database: &Database) {
    let (early, late) = (now() - TimeDelta::seconds(9), now());
    for (name, as_of) in [("Ann", early), ("Anna", late), ("Ann", early)] {
        database
            .name_user("user_1", known(name, as_of))
            .await
            .unwrap();
        database
            .name_organisation(&acme(), known(&format!("{name}'s"), as_of))
            .await
            .unwrap();
    }
    let found = token_status(database, &credential(now())).await;
    let expected = TokenStatus {
        revoked: false,
        user: Some(known("Anna", late)),
        organisation: Some(known("Anna's", late)),
    };
    assert_eq!(found, expected);
    let revision = OrganisationStore::find(database, &acme())
        .await
        .unwrap()
        .unwrap()
        .revision;
    assert_eq!(revision.0, 1, "one change of the name, one revision");
}

async fn an_organisation_exists_from_its_first_name_on_and_a_fallback_gives_way(
    database: &Database,
) {
    let at = now();
    assert_eq!(
        token_status(database, &credential(at)).await,
        TokenStatus::default()
    );
    for (given, expected) in [
        (
            known("acme", NameRecord::NEVER),
            known("acme", NameRecord::NEVER),
        ),
        (known("Acme", at), known("Acme", at)),
        (known("acme", NameRecord::NEVER), known("Acme", at)),
    ] {
        database.name_organisation(&acme(), given).await.unwrap();
        assert_eq!(
            token_status(database, &credential(at)).await.organisation,
            Some(expected)
        );
    }
}

async fn an_ended_session_is_over_for_every_token(database: &Database) {
    let at = now();
    database
        .revoke(&Revocation::Session("sess_1".into()), at)
        .await
        .unwrap();
    for issued_at in [at - TimeDelta::minutes(1), at + TimeDelta::minutes(1)] {
        assert!(token_status(database, &credential(issued_at)).await.revoked);
    }
    let other = Credential {
        session: "sess_2".into(),
        ..credential(at)
    };
    assert!(!token_status(database, &other).await.revoked);
}

async fn a_user_or_member_who_comes_back_has_new_tokens(database: &Database) {
    let at = now();
    let member = Revocation::Membership {
        organisation: acme(),
        user: "user_1".into(),
    };
    for revocation in [Revocation::User("user_1".into()), member] {
        database.revoke(&revocation, at).await.unwrap();
        // Messages may come late, and again.
        database
            .revoke(&revocation, at - TimeDelta::minutes(5))
            .await
            .unwrap();
        assert!(token_status(database, &credential(at)).await.revoked);
        assert!(
            !token_status(database, &credential(at + TimeDelta::seconds(1)))
                .await
                .revoked
        );
    }
}

async fn a_membership_that_ended_is_that_of_one_user_in_one_organisation(database: &Database) {
    let at = now();
    database
        .revoke(
            &Revocation::Membership {
                organisation: acme(),
                user: "user_1".into(),
            },
            at,
        )
        .await
        .unwrap();
    assert!(token_status(database, &credential(at)).await.revoked);
    let elsewhere = OrganisationId::parse("org_other").unwrap();
    for other in [
        Credential {
            user: "user_2".into(),
            ..credential(at)
        },
        Credential {
            organisation: Some(elsewhere),
            ..credential(at)
        },
        Credential {
            organisation: None,
            ..credential(at)
        },
    ] {
        assert!(!token_status(database, &other).await.revoked, "{other:?}");
    }
}

/// Action, state before and state after of the items about the user, oldest first.
async fn audited(database: &Database) -> Vec<(Action, Option<String>, Option<String>)> {
    let filter = AuditFilter {
        target_id: Some("user_1".into()),
        ..AuditFilter::default()
    };
    let found = AuditStore::list(database, &acme(), &filter, Page::default()).await;
    let items = found.unwrap().items.into_iter().rev();
    items
        .map(|item| (item.action, item.before, item.after))
        .collect()
}

async fn members_of_a_provider_are_audited_once_and_late_reports_are_not(database: &Database) {
    use MemberChange::{Joined, Updated};

    let at = now();
    let report = async |change, role, seconds| {
        let member = MemberRecord {
            organisation: acme(),
            user: "user_1".into(),
            role,
            change,
            as_of: at + TimeDelta::seconds(seconds),
        };
        database.record_member(&member).await.unwrap();
    };
    let remove = async |seconds| {
        let membership = Revocation::Membership {
            organisation: acme(),
            user: "user_1".into(),
        };
        let at = at + TimeDelta::seconds(seconds);
        database.revoke(&membership, at).await.unwrap();
    };
    report(Joined, Role::Viewer, 0).await;
    database
        .name_organisation(&acme(), known("Acme", at))
        .await
        .unwrap();
    assert_eq!(audited(database).await, [], "it did not exist");
    report(Updated, Role::Editor, 1).await;
    for _ in 0..2 {
        report(Joined, Role::Viewer, 0).await;
        report(Updated, Role::Admin, 2).await;
    }
    remove(3).await;
    remove(3).await;
    report(Updated, Role::Viewer, 2).await;
    report(Joined, Role::Viewer, 4).await;

    let state = |role: &str| Some(format!(r#"{{"id":"user_1","role":{role}}}"#));
    let (viewer, editor, admin) = (
        state(r#""viewer""#),
        state(r#""editor""#),
        state(r#""admin""#),
    );
    let expected = [
        (Action::MemberRoleChanged, state("null"), editor.clone()),
        (Action::MemberRoleChanged, editor, admin.clone()),
        (Action::MemberRemoved, admin, None),
        (Action::MemberAdded, None, viewer),
    ];
    assert_eq!(audited(database).await, expected);
}

async fn a_deleted_organisation_is_gone_for_good(database: &Database) {
    let at = now();
    database
        .name_organisation(&acme(), known("Acme", at))
        .await
        .unwrap();
    database.delete_organisation(&acme(), at).await.unwrap();
    database
        .name_organisation(&acme(), known("Acme", at + TimeDelta::seconds(1)))
        .await
        .unwrap();
    database
        .name_organisation(&acme(), known("acme", NameRecord::NEVER))
        .await
        .unwrap();
    assert_eq!(
        OrganisationStore::find(database, &acme()).await.unwrap(),
        None
    );
    let found = token_status(database, &credential(at + TimeDelta::seconds(1))).await;
    assert_eq!((found.revoked, found.organisation), (true, None));
}

async fn a_message_is_handled_once(database: &Database) {
    assert!(!database.is_handled("msg_1").await.unwrap());
    database.mark_handled("msg_1", now()).await.unwrap();
    database.mark_handled("msg_1", now()).await.unwrap();
    assert!(database.is_handled("msg_1").await.unwrap());
    let later = now() + Directory::MESSAGES + TimeDelta::seconds(1);
    database.mark_handled("msg_2", later).await.unwrap();
    assert!(
        !database.is_handled("msg_1").await.unwrap(),
        "its signature does not count any more"
    );
}

async fn old_revocations_are_deleted_except_those_of_organisations(database: &Database) {
    let long_ago = now() - Directory::MEMORY - TimeDelta::minutes(1);
    database
        .delete_organisation(&acme(), long_ago)
        .await
        .unwrap();
    for session in ["sess_1", "sess_2"] {
        database
            .revoke(&Revocation::Session(session.into()), long_ago)
            .await
            .unwrap();
    }
    let alone = Credential {
        organisation: None,
        ..credential(now())
    };
    assert!(!token_status(database, &alone).await.revoked);
    assert!(token_status(database, &credential(now())).await.revoked);
}
