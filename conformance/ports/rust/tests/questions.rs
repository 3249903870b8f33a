//! Questions of spec section 13, and their answers.
//!
//! A state is written `role leader epoch grantee [support]`, with `-` for none; a message `TYPE epoch from to [keeps lease]`.

mod numbers;

use bully::json::{self, Json};
use bully::{Effect, Ignored, Input, Node, Timer};
use numbers::{asked, numbered};
use serde_json::{json, Value};

fn none_or(word: &str) -> Value {
    if word == "-" {
        Value::Null
    } else {
        json!(word)
    }
}

/// The node of that id, of members 1 to n, in a state.
fn node(me: u64, n: u64, state: &str) -> Node {
    let ids: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
    let words: Vec<&str> = state.split(' ').collect();
    let epoch: u64 = words[2].parse().expect("an epoch");
    let value =
        json!({"role": words[0], "leader": none_or(words[1]), "epoch": epoch, "grantee": none_or(words[3]), "support": &words[4..]});
    let known: Vec<&str> = ids.iter().map(String::as_str).collect();
    let state = json::state(&numbered(value, &me.to_string(), &known), Some(&json!(ids))).unwrap_or_else(|why| panic!("{state}: {why}"));
    Node::load(me.to_string().parse().expect("an id"), state).expect("a state of that node")
}

/// Asserts what a node does with an input: its state after, and what it sends, as `TYPE epoch to`.
fn asserts(mut node: Node, input: Input, after: &str, sent: &[&str]) {
    let effects = node.step(&input).expect("a step");
    let said: Vec<String> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(m) => Some(format!("{} {} {}", m.kind.name(), m.epoch, m.to)),
            _ => None,
        })
        .collect();
    let state: Value = serde_json::from_str(&Json(node.state()).to_string()).expect("JSON");
    let word = |field: &str| state[field].as_str().unwrap_or("-").to_owned();
    let mut words = vec![word("role"), word("leader"), state["epoch"].to_string(), word("grantee")];
    words.extend(state["support"].as_array().expect("a list").iter().map(|j| j.as_str().expect("an id").to_owned()));
    assert_eq!((words.join(" "), said.iter().map(String::as_str).collect::<Vec<_>>()), (after.to_owned(), sent.to_vec()));
}

fn message(text: &str) -> Input {
    let words: Vec<&str> = text.split(' ').collect();
    let epoch: u64 = words[1].parse().expect("an epoch");
    let mut value = json!({"type": words[0], "epoch": epoch, "from": words[2], "to": words[3]});
    if let [_, _, _, _, "keeps", lease] = words[..] {
        value["keeps"] = json!(lease);
    }
    Input::Message(json::message(&asked(value)).expect("a message"))
}

#[test]
fn claims() {
    asserts(node(2, 3, "electing - 4 -"), message("CLAIM 4 1 2"), "electing 1 4 1", &["GRANT 4 1"]);
    asserts(node(2, 3, "electing - 4 3"), message("CLAIM 4 1 2"), "electing - 4 3", &["REFUSE 4 1"]);
    asserts(node(2, 3, "electing 3 4 3"), message("CLAIM 9 1 2"), "electing 3 4 3", &["REFUSE 4 1"]);
    asserts(node(2, 3, "claimant - 3 -"), message("CLAIM 4 1 2"), "claimant - 3 -", &["REFUSE 3 1"]);
    asserts(node(2, 3, "claimant - 3 -"), message("CLAIM 5 1 2"), "electing 1 5 1", &["GRANT 5 1"]);
    asserts(node(2, 3, "claimant - 3 -"), message("CLAIM 4 3 2"), "electing 3 4 3", &["GRANT 4 3"]);
    asserts(node(3, 5, "leader 3 4 3"), message("CLAIM 5 2 3"), "leader 3 4 3", &["REFUSE 4 2"]);
    asserts(node(3, 5, "leader 3 4 3"), message("CLAIM 4 4 3"), "leader 3 4 3", &["REFUSE 4 4"]);
    asserts(
        node(3, 5, "leader 3 4 3"),
        message("CLAIM 5 4 3"),
        "electing 4 5 4",
        &["GRANT 5 4", "RESIGN 4 1", "RESIGN 4 2", "RESIGN 4 4", "RESIGN 4 5"],
    );
}

#[test]
fn a_claimant_goes_on_until_it_is_refused() {
    for kind in ["OK", "ASSENT", "ACK", "IM_BACK"] {
        asserts(node(2, 3, "claimant - 3 -"), message(&format!("{kind} 4 3 2")), "claimant - 3 -", &[]);
    }
    asserts(node(2, 3, "claimant - 3 -"), message("REFUSE 4 3 2"), "follower - 4 -", &[]);
    asserts(node(2, 3, "claimant - 3 2"), message("REFUSE 3 3 2"), "claimant - 3 2", &[]);
    asserts(node(2, 3, "claimant - 3 -"), message("ELECTION 4 3 2"), "claimant - 3 -", &["ASSENT 3 3"]);
    asserts(node(2, 3, "claimant 1 3 1"), message("GRANT 5 1 2"), "claimant 1 3 1", &[]);
}

#[test]
fn a_claimant_wins_with_a_quorum_and_without_a_lease() {
    asserts(node(3, 4, "claimant - 3 -"), message("GRANT 4 2 3"), "claimant - 3 - 2", &[]); // half is no quorum
    asserts(node(3, 3, "claimant 1 3 1"), message("GRANT 4 2 3"), "claimant 1 3 1 2", &[]);
    asserts(node(3, 3, "claimant 1 3 1 2"), message("RESIGN 3 1 3"), "leader 3 4 3", &["COORDINATOR 4 1", "COORDINATOR 4 2"]);
    asserts(node(3, 3, "claimant 1 3 1 2"), message("IM_BACK 3 1 3"), "claimant - 3 1 2", &[]);
    asserts(node(3, 3, "claimant 1 3 1 2"), Input::HolderDead, "claimant - 3 1 2", &[]);
    asserts(node(3, 4, "claimant 1 3 1 2"), message("RESIGN 1 4 3"), "claimant 1 3 1 2", &["CLAIM 4 1", "CLAIM 4 4"]);
}

#[test]
fn who_may_be_supported() {
    asserts(node(3, 5, "leader 3 4 3"), message("ELECTION 4 5 3 keeps 3"), "leader 3 4 3", &["ASSENT 4 5"]);
    asserts(node(3, 5, "leader 3 4 3"), message("ELECTION 4 5 3"), "leader 3 4 3", &["REFUSE 4 5"]);
    asserts(node(3, 5, "leader 3 4 3"), message("ELECTION 4 1 3"), "leader 3 4 3", &["OK 4 1", "COORDINATOR 4 1"]);
    asserts(node(2, 3, "leader 2 4 2"), message("ELECTION 5 1 2"), "candidate - 5 -", &["OK 5 1", "ELECTION 5 1", "ELECTION 5 3"]);
    asserts(node(2, 5, "follower 3 4 3"), message("ELECTION 4 5 2 keeps 3"), "follower 3 4 3", &["ASSENT 4 5"]);
    asserts(node(2, 5, "follower 3 4 3"), message("ELECTION 4 1 2"), "follower 3 4 3", &["REFUSE 4 1"]);
    asserts(node(2, 5, "follower 3 4 3"), message("ELECTION 4 3 2"), "electing - 4 3", &["ASSENT 4 3"]);
    asserts(node(2, 5, "electing 3 4 3"), message("ELECTION 4 5 2 keeps 3"), "electing 3 4 3", &["REFUSE 4 5"]);
}

#[test]
fn reigns() {
    asserts(node(2, 3, "follower 3 4 3"), message("HEARTBEAT 3 1 2"), "follower 3 4 3", &["REFUSE 4 1"]);
    asserts(node(2, 3, "electing 1 4 1"), message("COORDINATOR 4 3 2"), "follower 3 4 1", &["ACK 4 3"]);
    asserts(node(2, 3, "candidate 1 4 1"), message("HEARTBEAT 4 1 2"), "candidate 1 4 1", &["ACK 4 1"]);
    asserts(node(2, 3, "candidate 1 4 1"), message("HEARTBEAT 5 1 2"), "follower 1 5 1", &["ACK 5 1"]);
    asserts(node(3, 3, "leader 3 4 3"), message("ACK 5 1 3"), "follower - 5 -", &[]);
    asserts(node(3, 3, "leader 3 4 3"), message("IM_BACK 5 1 3"), "follower - 5 -", &[]);
    asserts(node(3, 4, "leader 3 4 3 1"), Input::Timer(Timer::Reign), "follower - 4 3", &[]);
}

#[test]
fn a_restarted_node_keeps_silent() {
    let restarted = || node(2, 3, "electing 2 4 3"); // its own lease
    asserts(restarted(), message("CLAIM 9 3 2"), "electing 2 4 3", &["REFUSE 4 3"]);
    asserts(restarted(), message("ELECTION 4 3 2"), "electing 2 4 3", &["REFUSE 4 3"]);
    asserts(restarted(), message("HEARTBEAT 4 1 2"), "follower 1 4 3", &["ACK 4 1"]);
    assert_eq!(restarted().step(&Input::HolderDead), Err(Ignored::NoHolder));

    let record = json::promise(&json!({"epoch": 4, "grantee": "3", "reserved": 1 << 20}), Some(&json!(["1", "2", "3"]))).expect("a record");
    let (node, _) = Node::restart("2".parse().expect("an id"), record).expect("its record");
    assert_eq!(
        Json(node.state()).to_string(),
        r#"{"role":"electing","leader":"2","lease":0,"epoch":4,"grantee":"3","support":[],"asked":0,"latest":1048577}"#
    );
}

#[test]
fn a_node_at_the_bound_rests_instead_of_claiming() {
    let state = "candidate - 9007199254740991 - 1 3";
    asserts(node(2, 3, state), Input::Timer(Timer::Election), "follower - 9007199254740991 -", &[]);
}

#[test]
fn what_is_none_of_its_business_is_ignored() {
    let mut two = node(2, 3, "electing - 4 -");
    let before = two.state().clone();
    let why = [
        (message("CLAIM 5 4 2"), Ignored::NonMember),
        (message("CLAIM 5 2 1"), Ignored::NonMember),
        (message("CLAIM 5 1 3"), Ignored::Misaddressed),
        (Input::Timer(Timer::Patience), Ignored::NotRunning(Timer::Patience)),
        (Input::Resign(None), Ignored::NotLeading),
    ];
    for (input, why) in why {
        assert_eq!(two.step(&input), Err(why));
        assert_eq!(*two.state(), before);
    }
}

/// R29: who hears of a hand-over grants the claim at once, if nothing binds it; a claimant of its own goes on.
#[test]
fn a_hand_over_is_succeeded_at_once() {
    let resign = || {
        let granted = json!({"by": "5", "epoch": 5, "question": 4});
        let value = json!({"type": "RESIGN", "from": "3", "to": "2", "epoch": 4, "question": 4, "granted": granted});
        Input::Message(json::message(&value).expect("a message"))
    };
    asserts(node(2, 5, "follower 3 4 3"), resign(), "electing 5 5 5", &["GRANT 5 5"]);
    asserts(node(2, 5, "candidate 3 4 3"), resign(), "electing 5 5 5", &["GRANT 5 5"]);
    asserts(node(2, 5, "claimant 3 4 3 1"), resign(), "claimant - 4 3 1", &["CLAIM 5 3", "CLAIM 5 4", "CLAIM 5 5"]);
    asserts(node(2, 5, "follower 4 4 3"), resign(), "follower 4 4 3", &[]);
}

/// R50: an answer of what was asked before says nothing of what is asked now.
#[test]
fn an_answer_counts_for_its_question() {
    let answer = |kind: &str, question: u64| {
        let epoch = if kind == "GRANT" { 5 } else { 4 };
        let value = json!({"type": kind, "from": "1", "to": "2", "epoch": epoch, "question": question});
        Input::Message(json::message(&value).expect("a message"))
    };
    asserts(node(2, 5, "candidate - 4 -"), answer("ASSENT", 6), "candidate - 4 - 1", &[]);
    asserts(node(2, 5, "candidate - 4 -"), answer("ASSENT", 5), "candidate - 4 -", &[]);
    asserts(node(2, 5, "candidate - 4 -"), answer("OK", 5), "candidate - 4 -", &[]);
    asserts(node(2, 5, "claimant - 4 -"), answer("GRANT", 6), "claimant - 4 - 1", &[]);
    asserts(node(2, 5, "claimant - 4 -"), answer("GRANT", 5), "claimant - 4 -", &[]);
}
