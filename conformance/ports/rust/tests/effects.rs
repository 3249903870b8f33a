//! What a host is asked to do, and in which order.

use bully::json::{self, Json};
use bully::{Input, Members, Node, Timer};
use serde_json::{json, Value};

/// Node 2 of 1 to 3 in a state, which is given as `[role, leader, epoch, grantee]`.
fn node_2(state: Value) -> Node {
    let state = json!({"role": state[0], "leader": state[1], "epoch": state[2], "grantee": state[3], "support": []});
    let state = json::state(&state, Some(&json!(["1", "2", "3"]))).expect("a state");
    Node::load("2".parse().expect("an id"), state).expect("a state of node 2")
}

fn message(kind: &str, from: &str, epoch: u64) -> Input {
    let value = json!({"type": kind, "from": from, "to": "2", "epoch": epoch});
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
    assert_eq!(Json(&effects[..]).to_string(), r#"[{"save":{"epoch":0,"grantee":null}},{"arm":"patience"}]"#);
}

#[test]
fn a_hand_over_saves_ends_the_reign_and_only_then_grants() {
    assert_eq!(
        effects(node_2(json!(["leader", "2", 4, "2"])), message("CLAIM", "3", 5)),
        concat!(
            r#"[{"save":{"epoch":5,"grantee":"3"}},{"over":4},{"arm":"coordinator"},{"cancel":"reign"},{"cancel":"heartbeat"},"#,
            r#"{"send":{"type":"GRANT","from":"2","to":"3","epoch":5}},{"send":{"type":"RESIGN","from":"2","to":"1","epoch":4}},"#,
            r#"{"send":{"type":"RESIGN","from":"2","to":"3","epoch":4}},{"tell":{"leader":null,"epoch":0}}]"#
        )
    );
}

#[test]
fn a_promise_of_its_own_epoch_is_saved_too() {
    let granted = effects(node_2(json!(["electing", null, 4, null])), message("CLAIM", "3", 4));
    assert!(granted.starts_with(r#"[{"save":{"epoch":4,"grantee":"3"}},{"#));
}

#[test]
fn a_heartbeat_renews_the_patience_and_nothing_else() {
    assert_eq!(
        effects(node_2(json!(["follower", "3", 4, "3"])), message("HEARTBEAT", "3", 4)),
        r#"[{"arm":"patience"},{"send":{"type":"ACK","from":"2","to":"3","epoch":4}}]"#
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
fn the_same_claim_again_is_granted_again_and_the_wait_begins_anew() {
    assert_eq!(
        effects(node_2(json!(["electing", "3", 4, "3"])), message("CLAIM", "3", 4)),
        r#"[{"arm":"coordinator"},{"send":{"type":"GRANT","from":"2","to":"3","epoch":4}}]"#
    );
    // Released and bound again within one step it is electing before and after: the wait goes on.
    assert_eq!(
        effects(node_2(json!(["electing", "3", 4, "3"])), message("ELECTION", "3", 4)),
        r#"[{"send":{"type":"ASSENT","from":"2","to":"3","epoch":4}}]"#
    );
}

#[test]
fn a_beat_sets_itself_again_and_leaves_the_quorum_timer_alone() {
    let heartbeat = effects(node_2(json!(["leader", "2", 4, "2"])), Input::Timer(Timer::Heartbeat));
    assert!(heartbeat.starts_with(r#"[{"arm":"heartbeat"},{"send":{"type":"HEARTBEAT""#) && !heartbeat.contains("reign"));
}
