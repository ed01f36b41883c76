use super::*;

async fn record(operator: &Operator, path: &str, message: &str) -> Value {
    let recorded = operator
        .post(
            &format!("{path}/updates/create"),
            json!({"message": message}),
        )
        .await;
    assert_eq!(recorded.status, 201, "{recorded:?}");
    recorded.body["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_is_recorded_read_and_edited_and_moves_nothing_but_itself() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = plan(&operator, &later(-HOUR), Some(&later(-HOUR))).await;
    let loaded = operator.get(&path).await.etag;
    let input = json!({"message": " Half way ", "status": "MONITORING"});
    let recorded = operator
        .post(&format!("{path}/updates/create"), input)
        .await;
    assert_eq!(recorded.status, 201, "{recorded:?}");
    let update = &recorded.body["data"];
    assert_eq!(
        (&update["message"], &update["status"]),
        (&json!("Half way"), &json!("MONITORING"))
    );
    assert_eq!(update["user"]["name"], "Ada");
    assert!(path.ends_with(update["maintenanceId"].as_str().unwrap()));

    let one = format!("{path}/updates/{}", update["id"].as_str().unwrap());
    let read = operator.get(&one).await;
    assert_eq!(
        (read.status, &read.body["data"], &read.etag),
        (200, update, &recorded.etag)
    );
    let edited = operator.patch(&one, json!({"status": "RESOLVED"})).await;
    assert_eq!(
        (edited.status, &edited.body["data"]["status"]),
        (200, &json!("RESOLVED")),
        "{edited:?}"
    );
    let stale = operator
        .request(Method::PATCH, &one)
        .header("if-match", recorded.etag.unwrap());
    assert_eq!(
        send(stale.json(&json!({"message": "late"}))).await.status,
        412
    );

    let newest = record(&operator, &path, "Done").await;
    assert_eq!(newest["status"], "INVESTIGATING");
    let listed = operator.get(&format!("{path}/updates/list")).await;
    assert_eq!(listed.body["data"], json!([newest, edited.body["data"]]));
    let part = operator.get(&format!("{path}/updates/list?limit=1")).await;
    assert_eq!(
        (&part.body["data"], &part.body["meta"]["next"]),
        (&json!([newest]), &newest["id"])
    );

    let maintenance = operator.get(&path).await;
    assert_eq!(
        (&maintenance.body["data"]["status"], maintenance.etag),
        (&json!("COMPLETED"), loaded)
    );
    let messages: Vec<_> = maintenance.body["data"]["timeline"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["message"])
        .collect();
    assert_eq!(messages, ["Done", "Half way"]);
    let public = operator.snapshot().await["maintenances"][0]["timeline"].clone();
    assert_eq!(public, maintenance.body["data"]["timeline"]);
    assert!(!public.to_string().contains("Ada"), "{public}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_updates_are_refused_in_the_words_of_the_form() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = plan(&operator, &later(HOUR), None).await;
    let refused = operator
        .post(
            &format!("{path}/updates/create"),
            json!({"message": " ", "status": "OK"}),
        )
        .await;
    let mut named = errors(&refused.body);
    named.sort_unstable();
    assert_eq!(
        (refused.status, named),
        (
            422,
            vec![
                ("message", "Message is required"),
                ("status", "Select Any One")
            ]
        )
    );
    let id = record(&operator, &path, "Half way").await["id"].clone();
    let refused = operator
        .patch(
            &format!("{path}/updates/{}", id.as_str().unwrap()),
            json!({"message": null}),
        )
        .await;
    assert_eq!(
        (refused.status, errors(&refused.body)),
        (422, vec![("message", "Message is required")])
    );
    assert_eq!(
        operator
            .get(&format!("{path}/updates/nothing"))
            .await
            .status,
        404
    );
    let nowhere = "/maintenance/00000000-0000-7000-8000-000000000000/updates";
    assert_eq!(operator.get(&format!("{nowhere}/list")).await.status, 404);
    assert_eq!(
        operator
            .post(&format!("{nowhere}/create"), json!({"message": "m"}))
            .await
            .status,
        404
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_are_deleted_all_or_none_and_published_one_by_one() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = plan(&operator, &later(HOUR), None).await;
    let maintenance = path.rsplit('/').next().unwrap();
    let mut ids = Vec::new();
    for message in ["one", "two", "three"] {
        ids.push(record(&operator, &path, message).await["id"].clone());
    }
    let call = format!("{path}/updates/delete");
    let unknown = "00000000-0000-7000-8000-000000000000";
    let rows = [
        (
            json!({}),
            ("maintenanceUpdateIds", "At least one update is required"),
        ),
        (
            json!({"maintenanceUpdateIds": []}),
            ("maintenanceUpdateIds", "At least one update is required"),
        ),
        (
            json!({"maintenanceUpdateIds": [ids[0], 7]}),
            ("maintenanceUpdateIds[1]", "Update is required"),
        ),
        (
            json!({"maintenanceUpdateIds": [ids[0], ids[0]]}),
            ("maintenanceUpdateIds[1]", "This update is chosen already"),
        ),
        (
            json!({"maintenanceUpdateIds": [ids[0], unknown]}),
            ("maintenanceUpdateIds[1]", "This update does not exist"),
        ),
    ];
    for (body, row) in rows {
        let refused = operator.post(&call, body.clone()).await;
        assert_eq!(
            (refused.status, errors(&refused.body)),
            (422, vec![row]),
            "{body}"
        );
    }
    let mut stream = Stream::open(&operator, "", None).await;
    let deleted = operator
        .post(&call, json!({"maintenanceUpdateIds": [ids[0], ids[2]]}))
        .await;
    assert_eq!(
        (deleted.status, &deleted.body["data"]["ids"]),
        (200, &json!([ids[0], ids[2]]))
    );
    for id in [&ids[0], &ids[2]] {
        let (name, args, revision) = stream.next().await;
        assert_eq!(
            (name.as_str(), args, revision),
            (
                "maintenance-timeline-deleted",
                json!([maintenance, id]),
                None
            )
        );
    }
    let (name, args, revision) = stream.next().await;
    assert_eq!((name.as_str(), revision), ("maintenance-updated", Some(5)));
    assert_eq!(args[0]["timeline"].as_array().unwrap().len(), 1);

    record(&operator, &path, "four").await;
    let (name, args, revision) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["message"], revision),
        ("maintenance-timeline-updated", &json!("four"), None)
    );
    assert!(args[0].get("user").is_none(), "{args}");
    assert_eq!(stream.next().await.0, "maintenance-updated");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_organisation_sees_and_changes_no_update() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let path = plan(&acme, &later(HOUR), None).await;
    let id = record(&acme, &path, "Half way").await["id"].clone();
    let one = format!("{path}/updates/{}", id.as_str().unwrap());
    assert_eq!(other.get(&format!("{path}/updates/list")).await.status, 404);
    assert_eq!(other.get(&one).await.status, 404);
    assert_eq!(
        other.patch(&one, json!({"message": "Mine"})).await.status,
        404
    );
    assert_eq!(
        other
            .post(
                &format!("{path}/updates/create"),
                json!({"message": "Mine"})
            )
            .await
            .status,
        404
    );
    let deleted = other
        .post(
            &format!("{path}/updates/delete"),
            json!({"maintenanceUpdateIds": [id]}),
        )
        .await;
    assert_eq!(deleted.status, 404);
    assert_eq!(acme.get(&one).await.body["data"]["message"], "Half way");
}
