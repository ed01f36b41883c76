use allclear_application::directory::{
    Credential, Directory, DirectoryStore, NameRecord, Revocation, TokenStatus,
};
use allclear_application::organisation::OrganisationStore;
use allclear_domain::id::OrganisationId;
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::clock;
use crate::contract;

contract!(
    newer_news_win_whichever_comes_first,
    an_organisation_exists_from_its_first_name_on_and_a_stand_in_gives_way,
    an_ended_session_is_over_for_every_token,
    a_user_or_member_who_comes_back_has_new_tokens,
    a_membership_that_ended_is_that_of_one_user_in_one_organisation,
    a_deleted_organisation_is_gone_for_good,
    a_message_is_handled_once,
    what_ended_long_ago_is_forgotten_except_organisations,
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

async fn newer_news_win_whichever_comes_first(database: &Database) {
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

async fn an_organisation_exists_from_its_first_name_on_and_a_stand_in_gives_way(
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

async fn what_ended_long_ago_is_forgotten_except_organisations(database: &Database) {
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
