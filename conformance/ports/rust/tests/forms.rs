//! Ids, epochs and messages: what is taken, and what is refused.

use bully::json::{self, Json};
use bully::{Epoch, Id, Ignored};
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
fn a_message_is_written_as_it_is_read() {
    let text = r#"{"type":"IM_BACK","from":"3","to":"1","epoch":9007199254740991}"#;
    let value: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(Json(&json::message(&value).expect("a message")).to_string(), text);
}

#[test]
fn a_malformed_message_is_refused_and_not_repaired() {
    let good = json!({"type": "CLAIM", "from": "3", "to": "1", "epoch": 4});
    assert!(json::message(&good).is_ok());
    let wrong = [
        ("epoch", json!(9_007_199_254_740_992_u64)),
        ("epoch", json!(4.0)),
        ("epoch", json!(-1)),
        ("epoch", json!("4")),
        ("epoch", Value::Null),
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
    for field in ["type", "from", "to", "epoch"] {
        let mut message = good.clone();
        message.as_object_mut().expect("an object").remove(field);
        assert!(json::message(&message).is_err(), "{message} was taken");
        message["other"] = json!(1);
        assert!(json::message(&message).is_err(), "{message} was taken");
    }
    for value in [Value::Null, json!([]), json!("CLAIM"), json!(4), json!({})] {
        assert!(json::message(&value).is_err(), "{value} was taken");
    }
    let mut unknown = good;
    unknown["type"] = json!("claim");
    assert_eq!(json::message(&unknown), Err(Ignored::UnknownType));
}
