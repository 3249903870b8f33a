//! For tests that are not about numbers (R50): they are put into what has none, so that it could have come to be.
//!
//! A lease is of question 3; what is asked, and the latest, is 6; and whoever says anything but an answer is at 4.

use serde_json::{json, Value};

/// A message with a number, and an ELECTION with the lease that it keeps, if they have none.
pub fn asked(mut message: Value) -> Value {
    let kind = message["type"].as_str().expect("a type").to_owned();
    let answers = ["OK", "ASSENT", "GRANT", "REFUSE", "ACK"].contains(&kind.as_str());
    if message.get("question").is_none() {
        message["question"] = json!(if answers { 6 } else { 4 });
    }
    if kind == "ELECTION" && message.get("keeps").is_none() {
        message["keeps"] = Value::Null;
    }
    message
}

/// A state of that node, among these members, with numbers.
pub fn numbered(mut state: Value, me: &str, members: &[&str]) -> Value {
    let support = state["support"].as_array().expect("a list").clone();
    let role = state["role"].as_str().expect("a role").to_owned();
    let asks = role == "candidate" || role == "claimant" || (role == "electing" && !support.is_empty());
    let lease = !state["leader"].is_null() && state["leader"] != me;
    state["lease"] = json!(if lease { 3 } else { 0 });
    state["asked"] = json!(if asks { 6 } else { 0 });
    state["latest"] = json!(6);
    if role == "leader" {
        let answer = |j: &&str| json!({"node": j, "question": if support.contains(&json!(j)) { 4 } else { 2 }});
        state["dated"] = json!(if 2 * (support.len() + 1) > members.len() { 4 } else { 2 });
        state["answered"] = members.iter().filter(|j| **j != me).map(answer).collect();
    }
    state
}
