use super::*;

async fn record(operator: &Operator, path: &str, message: &str) -> Value {
    let create = format!("{path}/updates/create");
    operator.create(&create, json!({"message": message})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn update_is_recorded_read_and_edited_without_changing_the_maintenance() {
    let (_app, operator) = TestApp::with_operator().await;
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
    assert_status(send(stale.json(&json!({"message": "late"}))), 412).await;

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
async fn wrong_updates_are_refused_with_the_messages_of_the_form() {
    let (_app, operator) = TestApp::with_operator().await;
    let path = plan(&operator, &later(HOUR), None).await;
    let both = (
        json!({"message": " ", "status": "OK"}),
        "message: Message is required; status: Select Any One",
    );
    let create = format!("{path}/updates/create");
    operator
        .assert_invalid(Method::POST, &create, &[both])
        .await;
    let update = record(&operator, &path, "Half way").await;
    let one = format!("{path}/updates/{}", update["id"].as_str().unwrap());
    let rows = [
        (json!({"message": null}), "message: Message is required"),
        (
            json!({"message": "", "status": "OK"}),
            "message: Message is required; status: Select Any One",
        ),
    ];
    operator.assert_invalid(Method::PATCH, &one, &rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_are_deleted_all_or_none_and_published_one_by_one() {
    let (_app, operator) = TestApp::with_operator().await;
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
            "maintenanceUpdateIds: At least one update is required",
        ),
        (
            json!({"maintenanceUpdateIds": [ids[0], 7]}),
            "maintenanceUpdateIds[1]: Update is required",
        ),
        (
            json!({"maintenanceUpdateIds": [ids[0], ids[0]]}),
            "maintenanceUpdateIds[1]: This update is chosen already",
        ),
        (
            json!({"maintenanceUpdateIds": [ids[0], unknown]}),
            "maintenanceUpdateIds[1]: This update does not exist",
        ),
    ];
    operator.assert_invalid(Method::POST, &call, &rows).await;
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
