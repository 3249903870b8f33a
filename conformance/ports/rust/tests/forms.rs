//! Ids, epochs, messages and configurations: what is taken, and what is refused.

use bully::json::{self, Json};
use bully::{Epoch, Id, Ignored, Question, Reserved};
use serde_json::{json, Value};

#[test]
fn ids_compare_as_unsigned_bytes() {
    let ascending = [
        "1",
        "3",
        "256",
        "18446744073709551615",
        "00000000-0000-4000-8000-000000000000",
        "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    ];
    let ids: Vec<Id> = ascending.iter().map(|text| text.parse().expect("an id")).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(ids.iter().map(Id::to_string).collect::<Vec<_>>(), ascending);
}

#[test]
fn what_is_not_exactly_an_id_is_refused() {
    let wrong = [
        "",
        "0",
        "03",
        "+3",
        "-3",
        "3 ",
        "1.0",
        "٣",
        "18446744073709551616",
        "100000000000000000000000000000000000",
        "1b9d6bcd-bbfd-1b2d-9b5d-ab8dfbbd4bed",
        "1b9d6bcd-bbfd-4b2d-cb5d-ab8dfbbd4bed",
        "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED",
        "1b9d6bcdbbfd-4b2d-9b5d-ab8dfbbd4bed0",
        "1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed",
        "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed0",
    ];
    for text in wrong {
        assert!(text.parse::<Id>().is_err(), "{text:?} was taken for an id");
    }
}

#[test]
fn an_epoch_ends_at_its_bound() {
    assert_eq!(Epoch::new((1 << 53) - 1), Some(Epoch::MAX));
    assert_eq!(Epoch::new(1 << 53), None);
    assert_eq!(Epoch::MAX.next(), None);
}

#[test]
fn numbers_of_questions_end_at_their_bounds() {
    assert!(Question::new(0).is_none() && Question::new(1 << 53).is_none());
    assert!(Question::new(1).is_some() && Question::new((1 << 53) - 1).is_some());
    assert!(Reserved::new(0).is_some() && Reserved::new(1 << 52).is_some() && Reserved::new((1 << 52) + 1).is_none());
    let reserved = |n: u64| Question::new(n).expect("a number").reserved().to_string();
    assert_eq!([reserved(1), reserved(1 << 20), reserved((1 << 20) + 1)], ["1048576", "1048576", "2097152"]);
}

#[test]
fn a_message_is_written_as_it_is_read() {
    let texts = [
        r#"{"type":"IM_BACK","from":"3","to":"1","epoch":9007199254740991,"question":9007199254740991}"#,
        r#"{"type":"ELECTION","from":"3","to":"1","epoch":4,"question":7,"keeps":null}"#,
        r#"{"type":"ELECTION","from":"3","to":"1","epoch":4,"question":7,"keeps":"2"}"#,
        r#"{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":7}"#,
        r#"{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":7,"granted":{"by":"4","epoch":5,"question":9}}"#,
    ];
    for text in texts {
        let value: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(Json(&json::message(&value).expect("a message")).to_string(), text);
    }
}

#[test]
fn a_malformed_message_is_refused_and_not_repaired() {
    let good = json!({"type": "CLAIM", "from": "3", "to": "1", "epoch": 4, "question": 7});
    assert!(json::message(&good).is_ok());
    let wrong = [
        ("epoch", json!(9_007_199_254_740_992_u64)),
        ("epoch", json!(4.0)),
        ("epoch", json!(-1)),
        ("epoch", json!("4")),
        ("epoch", Value::Null),
        ("question", json!(0)),
        ("question", json!(9_007_199_254_740_992_u64)),
        ("question", json!(7.0)),
        ("question", Value::Null),
        ("keeps", Value::Null),
        ("granted", json!({"by": "4", "epoch": 5, "question": 9})),
        ("from", json!("0")),
        ("from", json!(3)),
        ("from", Value::Null),
        ("from", json!("1")),
        ("to", json!("x")),
        ("type", json!(4)),
        ("extra", json!(1)),
    ];
    for (field, value) in wrong {
        let mut message = good.clone();
        message[field] = value;
        assert!(matches!(json::message(&message), Err(Ignored::Malformed(_))), "{message} was taken");
    }
    for field in ["type", "from", "to", "epoch", "question"] {
        let mut message = good.clone();
        message.as_object_mut().expect("an object").remove(field);
        assert!(json::message(&message).is_err(), "{message} was taken");
        message["other"] = json!(1);
        assert!(json::message(&message).is_err(), "{message} was taken");
    }
    for value in [Value::Null, json!([]), json!("CLAIM"), json!(4), json!({})] {
        assert!(json::message(&value).is_err(), "{value} was taken");
    }
    let mut election = good.clone();
    election["type"] = json!("ELECTION");
    assert!(json::message(&election).is_err(), "an ELECTION says whose lease its sender keeps");
    election["keeps"] = json!("03");
    assert!(json::message(&election).is_err(), "{election} was taken");
    let mut resign = good.clone();
    resign["type"] = json!("RESIGN");
    for granted in [
        Value::Null,
        json!({"by": "4", "epoch": 5}),
        json!({"by": "4", "epoch": 5, "question": 0}),
        json!({"by": 4, "epoch": 5, "question": 9}),
    ] {
        resign["granted"] = granted;
        assert!(json::message(&resign).is_err(), "{resign} was taken");
    }
    let mut unknown = good;
    unknown["type"] = json!("claim");
    assert_eq!(json::message(&unknown), Err(Ignored::UnknownType));
}

/// A message with a configuration; `{"epoch":3,"version":2,…}` of three members, or what the test makes of it.
fn with(change: impl FnOnce(&mut Value)) -> Value {
    let members =
        json!([{"id": "1", "kind": "voter", "address": "10.0.0.1:7400"}, {"id": "3", "kind": "witness"}, {"id": "4", "kind": "observer"}]);
    let configuration = json!({"epoch": 3, "version": 2, "members": members});
    let mut message = json!({"type": "CLAIM", "from": "3", "to": "1", "epoch": 4, "question": 7, "configuration": configuration});
    change(&mut message["configuration"]);
    message
}

#[test]
fn a_configuration_is_written_as_it_is_read() {
    let message = json::message(&with(|_| {})).expect("a message");
    let text = concat!(
        r#"{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"configuration":{"epoch":3,"version":2,"members":["#,
        r#"{"id":"1","kind":"voter","address":"10.0.0.1:7400"},{"id":"3","kind":"witness"},{"id":"4","kind":"observer"}]}}"#
    );
    assert_eq!(Json(&message).to_string(), text);
    let empty = json::message(&with(|c| *c = json!({"epoch": 0, "version": 0, "members": []}))).expect("the empty configuration");
    assert!(Json(&empty).to_string().ends_with(r#""configuration":{"epoch":0,"version":0,"members":[]}}"#));
}

#[test]
fn a_malformed_configuration_is_refused_with_its_message() {
    let refused = |why: &str, change: &dyn Fn(&mut Value)| {
        let message = with(change);
        assert!(matches!(json::message(&message), Err(Ignored::Malformed(_))), "{why}: {message} was taken");
    };
    refused("an epoch above that of the message", &|c| c["epoch"] = json!(5));
    refused("an epoch that is none", &|c| c["epoch"] = json!(3.0));
    refused("a version above the bound", &|c| c["version"] = json!(9_007_199_254_740_992_u64));
    refused("a version that is none", &|c| c["version"] = json!("2"));
    refused("members with version 0", &|c| c["version"] = json!(0));
    refused("no members with a version", &|c| c["members"] = json!([]));
    refused("no members with an epoch", &|c| *c = json!({"epoch": 1, "version": 0, "members": []}));
    refused("no voter", &|c| c["members"][0]["kind"] = json!("witness"));
    refused("a kind that is none", &|c| c["members"][1]["kind"] = json!("Voter"));
    refused("an id that is none", &|c| c["members"][1]["id"] = json!("03"));
    refused("an id that is no text", &|c| c["members"][1]["id"] = json!(3));
    refused("an id twice", &|c| c["members"][1]["id"] = json!("1"));
    refused("ids that descend", &|c| c["members"][1]["id"] = json!("9"));
    refused("a field of a member more", &|c| c["members"][1]["weight"] = json!(1));
    refused("a field of a member less", &|c| drop(c["members"][1].as_object_mut().expect("a member").remove("kind")));
    refused("a field more", &|c| c["cluster"] = json!("a"));
    refused("a member that is none", &|c| c["members"][1] = json!("3"));
    refused("members that are no list", &|c| c["members"] = json!({}));
    refused("nothing", &|c| *c = Value::Null);
    for field in ["epoch", "version", "members"] {
        refused(field, &|c| drop(c.as_object_mut().expect("a configuration").remove(field)));
    }
    for address in ["", "a b", "a\"", "a\\", "a&b", "<a", "a>", "a\n", "\u{7f}", "é", &"a".repeat(129)] {
        refused("an address that is none", &|c| c["members"][1]["address"] = json!(address));
    }
    refused("an address that is no text", &|c| c["members"][1]["address"] = Value::Null);
    assert!(json::message(&with(|c| c["members"][1]["address"] = json!("!~'%[::1]:80".repeat(10)))).is_ok());
}

/// 50 members leave 25 of the 1024 bytes for addresses.
#[test]
fn a_configuration_fits_into_a_message() {
    let many = |n: u64, bytes: usize| {
        let mut members: Vec<Value> = (1..=n).map(|id| json!({"id": id.to_string(), "kind": "voter"})).collect();
        members[0]["address"] = json!("a".repeat(bytes));
        json::message(&with(|c| c["members"] = json!(members)))
    };
    assert!(many(50, 25).is_ok());
    assert!(many(50, 26).is_err());
    assert!(many(44, 128).is_ok() && many(45, 120).is_err());
    assert!(many(51, 1).is_err());
}
