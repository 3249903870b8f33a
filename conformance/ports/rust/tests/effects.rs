//! What a host is asked to do, and in which order.

mod numbers;

use bully::json::{self, Json};
use bully::{Input, Members, Node, Timer};
use numbers::{asked, numbered};
use serde_json::{json, Value};

/// Node 2 of 1 to 3 in a state, which is given as `[role, leader, epoch, grantee]`.
fn node_2(state: Value) -> Node {
    let state = json!({"role": state[0], "leader": state[1], "epoch": state[2], "grantee": state[3], "support": []});
    let state = json::state(&numbered(state, "2", &["1", "2", "3"]), Some(&json!(["1", "2", "3"]))).expect("a state");
    Node::load("2".parse().expect("an id"), state).expect("a state of node 2")
}

fn message(kind: &str, from: &str, epoch: u64) -> Input {
    read(asked(json!({"type": kind, "from": from, "to": "2", "epoch": epoch})))
}

fn read(value: Value) -> Input {
    Input::Message(json::message(&value).expect("a message"))
}

fn effects(mut node: Node, input: Input) -> String {
    let effects = node.step(&input).expect("a step");
    Json(&effects[..]).to_string()
}

#[test]
fn a_first_start_writes_its_record_and_says_nothing() {
    let two = "2".parse().expect("an id");
    let (_, effects) = Node::start(two, Members::fixed(&[two]).expect("members")).expect("a member");
    assert_eq!(Json(&effects[..]).to_string(), r#"[{"save":{"epoch":0,"grantee":null,"reserved":1048576}},{"arm":"patience"}]"#);
}

#[test]
fn a_hand_over_saves_ends_the_reign_and_only_then_grants() {
    assert_eq!(
        effects(node_2(json!(["leader", "2", 4, "2"])), message("CLAIM", "3", 5)),
        concat!(
            r#"[{"save":{"epoch":5,"grantee":"3","reserved":1048576}},{"over":4},{"arm":"coordinator"},{"cancel":"reign"},{"cancel":"heartbeat"},"#,
            r#"{"send":{"type":"GRANT","from":"2","to":"3","epoch":5,"question":4}},"#,
            r#"{"send":{"type":"RESIGN","from":"2","to":"1","epoch":4,"question":6,"granted":{"by":"3","epoch":5,"question":4}}},"#,
            r#"{"send":{"type":"RESIGN","from":"2","to":"3","epoch":4,"question":6,"granted":{"by":"3","epoch":5,"question":4}}},{"tell":{"leader":null,"epoch":0}}]"#
        )
    );
}

#[test]
fn a_promise_of_its_own_epoch_is_saved_too() {
    let granted = effects(node_2(json!(["electing", null, 4, null])), message("CLAIM", "3", 4));
    assert!(granted.starts_with(r#"[{"save":{"epoch":4,"grantee":"3","reserved":1048576}},{"#));
}

#[test]
fn a_heartbeat_renews_the_patience_and_nothing_else() {
    assert_eq!(
        effects(node_2(json!(["follower", "3", 4, "3"])), message("HEARTBEAT", "3", 4)),
        r#"[{"arm":"patience"},{"send":{"type":"ACK","from":"2","to":"3","epoch":4,"question":4}}]"#
    );
}

#[test]
fn pre_emption_begins_anew_with_each_epoch_of_a_lower_leader() {
    let follower = || node_2(json!(["follower", "1", 4, "1"]));
    let anew = r#"{"arm":"preempt"}"#;
    assert!(effects(follower(), message("HEARTBEAT", "1", 5)).contains(anew));
    assert!(!effects(follower(), message("HEARTBEAT", "1", 4)).contains(anew));
    let higher = effects(follower(), message("HEARTBEAT", "3", 5));
    assert!(higher.contains(r#"{"cancel":"preempt"}"#) && higher.ends_with(r#"{"tell":{"leader":"3","epoch":5}}]"#));
}

#[test]
fn a_later_claim_is_granted_again_and_the_wait_begins_anew() {
    assert_eq!(
        effects(node_2(json!(["electing", "3", 4, "3"])), message("CLAIM", "3", 4)),
        r#"[{"arm":"coordinator"},{"send":{"type":"GRANT","from":"2","to":"3","epoch":4,"question":4}}]"#
    );
    // Released and bound again within one step it is electing before and after: the wait goes on.
    assert_eq!(
        effects(node_2(json!(["electing", "3", 4, "3"])), message("ELECTION", "3", 4)),
        r#"[{"send":{"type":"ASSENT","from":"2","to":"3","epoch":4,"question":4}}]"#
    );
}

#[test]
fn a_heartbeat_sets_itself_again_and_leaves_the_reign_alone() {
    let heartbeat = effects(node_2(json!(["leader", "2", 4, "2"])), Input::Timer(Timer::Heartbeat));
    assert!(heartbeat.starts_with(r#"[{"arm":"heartbeat"},{"send":{"type":"HEARTBEAT""#) && !heartbeat.contains("reign"));
}

/// An answer that leaves the lease as old as it was says nothing new of its holder (R36).
#[test]
fn a_question_that_comes_again_is_answered_again_and_renews_nothing() {
    let again = |kind: &str| read(json!({"type": kind, "from": "3", "to": "2", "epoch": 4, "question": 3}));
    let sends = |kind: &str| format!(r#"[{{"send":{{"type":"{kind}","from":"2","to":"3","epoch":4,"question":3}}}}]"#);
    assert_eq!(effects(node_2(json!(["follower", "3", 4, "3"])), again("HEARTBEAT")), sends("ACK"));
    assert_eq!(effects(node_2(json!(["electing", "3", 4, "3"])), again("CLAIM")), sends("GRANT"));
}

/// A leader asks question 7 and each ACK arms the reign if it is dated anew by it, and never else (R26, R36).
#[test]
fn a_reign_is_dated_by_the_latest_question_that_a_quorum_has_answered() {
    let mut leader = node_2(json!(["leader", "2", 4, "2"]));
    leader.step(&Input::Timer(Timer::Heartbeat)).expect("a step");
    let mut ack = |question: u64| {
        let input = read(json!({"type": "ACK", "from": "3", "to": "2", "epoch": 4, "question": question}));
        let effects = leader.step(&input).expect("a step");
        (leader.state().dated.map(|n| n.to_string()), Json(&effects[..]).to_string())
    };
    let dated = |n: u64, armed: bool| (Some(n.to_string()), if armed { r#"[{"arm":"reign"}]"# } else { "[]" }.to_owned());
    assert_eq!(ack(1), dated(2, false));
    assert_eq!(ack(6), dated(6, true));
    assert_eq!(ack(6), dated(6, false));
    assert_eq!(ack(8), dated(6, false)); // which it has not asked
    assert_eq!(ack(7), dated(7, true));
    assert_eq!(ack(6), dated(7, false));
}

/// No two lives use one number, though a life writes how far it may go only (R50).
#[test]
fn a_block_of_numbers_is_reserved_by_one_write() {
    let state = |latest: u64| json!({"role": "follower", "leader": null, "lease": 0, "epoch": 0, "grantee": null, "support": [], "asked": 0, "latest": latest});
    let asks = |latest: u64| {
        let state = json::state(&state(latest), Some(&json!(["1", "2", "3"]))).expect("a state");
        effects(Node::load("2".parse().expect("an id"), state).expect("a state of node 2"), Input::Timer(Timer::Patience))
    };
    assert!(asks((1 << 20) - 1).starts_with(r#"[{"cancel""#));
    assert!(asks(1 << 20).starts_with(r#"[{"save":{"epoch":0,"grantee":null,"reserved":2097152}},"#));
}

/// R5: an older question of the same node is answered, but the lease is of the later one.
#[test]
fn a_lease_never_gets_older() {
    for question in [2, 5] {
        let mut two = node_2(json!(["follower", "3", 4, "3"]));
        let late = read(json!({"type": "HEARTBEAT", "from": "3", "to": "2", "epoch": 4, "question": question}));
        let armed = two.step(&late).expect("a step").len() > 1;
        let lease = two.state().lease.map(|n| n.to_string());
        assert_eq!((lease, armed), (Some(question.max(3).to_string()), question > 3));
    }
}
