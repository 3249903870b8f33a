//! Members that come and go (R42 to R49), rule by rule: one step each.
//!
//! A state is written `role leader epoch grantee [support]`, with `-` for none; a configuration `epoch.version member …`,
//! where `3` is a voter, `3w` a witness, `3o` an observer, and `3@a` has an address.

mod numbers;

use bully::json::{self, Json};
use bully::{Effect, Ignored, Input, Members, Node, Timer};
use numbers::{asked, numbered};
use serde_json::{json, Value};

fn configuration(text: &str) -> Value {
    let (version, members) = text.split_once(' ').unwrap_or((text, ""));
    let (epoch, version) = version.split_once('.').expect("epoch.version");
    let member = |word: &str| {
        let (word, address) = word.split_once('@').unwrap_or((word, ""));
        let (id, kind) = match word.strip_suffix(['w', 'o']) {
            Some(id) => (id, if word.ends_with('w') { "witness" } else { "observer" }),
            None => (word, "voter"),
        };
        let member = json!({"id": id, "kind": kind, "address": address});
        if address.is_empty() {
            json!({"id": id, "kind": kind})
        } else {
            member
        }
    };
    let number = |text: &str| text.parse::<u64>().expect("a number");
    json!({"epoch": number(epoch), "version": number(version), "members": members.split_whitespace().map(member).collect::<Vec<_>>()})
}

fn none_or(word: &str) -> Value {
    if word == "-" {
        Value::Null
    } else {
        json!(word)
    }
}

fn node(me: &str, state: &str, conf: &str) -> Node {
    let words: Vec<&str> = state.split(' ').collect();
    let value = json!({"role": words[0], "leader": none_or(words[1]), "epoch": words[2].parse::<u64>().expect("an epoch"),
        "grantee": none_or(words[3]), "support": &words[4..], "configuration": configuration(conf)});
    let members = value["configuration"]["members"].clone();
    let electors: Vec<&str> =
        members.as_array().expect("a list").iter().filter(|m| m["kind"] != "observer").filter_map(|m| m["id"].as_str()).collect();
    let state = json::state(&numbered(value, me, &electors), None).unwrap_or_else(|why| panic!("{state}: {why}"));
    Node::load(me.parse().expect("an id"), state).unwrap_or_else(|why| panic!("{conf}: {why}"))
}

/// A message `TYPE epoch from to [keeps lease]` of a sender with that configuration.
fn message(text: &str, conf: &str) -> Input {
    let words: Vec<&str> = text.split(' ').collect();
    let epoch = words[1].parse::<u64>().expect("an epoch");
    let mut value = json!({"type": words[0], "from": words[2], "to": words[3], "epoch": epoch, "configuration": configuration(conf)});
    if let [_, _, _, _, "keeps", lease] = words[..] {
        value["keeps"] = json!(lease);
    }
    let value = asked(value);
    Input::Message(json::message(&value).unwrap_or_else(|why| panic!("{value}: {why}")))
}

fn change(conf: &str) -> Input {
    Input::Change(json::configuration(&configuration(conf)).expect("a configuration"))
}

/// What a node does with an input, as JSON: its state after, and the effects.
fn step(node: &mut Node, input: &Input) -> (Value, Vec<Value>) {
    let effects = node.step(input).expect("a step");
    let json = |text: String| serde_json::from_str::<Value>(&text).expect("JSON");
    (json(Json(node.state()).to_string()), effects.iter().map(|effect| json(Json(effect).to_string())).collect())
}

/// Asserts the state after, with its configuration, and what is sent, as `TYPE epoch to`, all of it with that configuration.
fn asserts(mut node: Node, input: Input, after: &str, conf: &str, sent: &[&str]) {
    let (state, effects) = step(&mut node, &input);
    let word = |field: &str| state[field].as_str().unwrap_or("-").to_owned();
    let mut words = vec![word("role"), word("leader"), state["epoch"].to_string(), word("grantee")];
    words.extend(state["support"].as_array().expect("a list").iter().map(|j| j.as_str().expect("an id").to_owned()));
    let messages = effects.iter().filter_map(|effect| effect.get("send"));
    let said = messages.map(|m| {
        assert_eq!(m["configuration"], configuration(conf), "a message does not carry the configuration after the step");
        format!("{} {} {}", m["type"].as_str().expect("a type"), m["epoch"], m["to"].as_str().expect("an id"))
    });
    assert_eq!(said.collect::<Vec<_>>(), sent);
    assert_eq!((words.join(" "), &state["configuration"]), (after.to_owned(), &configuration(conf)));
}

/// Which timers a step arms and cancels, as `+timer` and `-timer`.
fn timers(mut node: Node, input: Input) -> Vec<String> {
    let effects = node.step(&input).expect("a step");
    let timer = |effect: &Effect| match effect {
        Effect::Arm(timer) => Some(format!("+{timer}")),
        Effect::Cancel(timer) => Some(format!("-{timer}")),
        _ => None,
    };
    effects.iter().filter_map(timer).collect()
}

const THREE: &str = "4.2 1 2 3";

#[test]
fn r42_only_electors_make_a_quorum() {
    let conf = "4.2 1 2 3w 4o 5o";
    let dated_by = |from: &str| timers(node("2", "leader 2 4 2", conf), message(&format!("ACK 4 {from} 2"), conf));
    assert_eq!(dated_by("3"), ["+reign"]);
    assert_eq!(dated_by("4"), [""; 0]);
    let mut leader = node("2", "leader 2 4 2", conf);
    for observer in ["4", "5"] {
        leader.step(&message(&format!("ACK 4 {observer} 2"), conf)).expect("a step");
    }
    assert_eq!(leader.step(&change("4.3 1 2 3w 4o 5w")), Err(Ignored::NoChange), "observers settle nothing");
}

#[test]
fn r42_the_configuration_is_part_of_the_record() {
    let mut two = node("2", "follower 3 4 3", THREE);
    let (_, effects) = step(&mut two, &message("HEARTBEAT 4 3 2", "4.3 1 2 3 4o"));
    assert_eq!(
        effects[0]["save"],
        json!({"epoch": 4, "grantee": "3", "reserved": 1 << 20, "configuration": configuration("4.3 1 2 3 4o")})
    );
    let (_, effects) = step(&mut two, &message("HEARTBEAT 4 3 2", "4.3 1 2 3 4o"));
    assert!(effects.iter().all(|effect| effect.get("save").is_none()), "{effects:?}");
}

#[test]
fn r43_who_hears_a_newer_configuration_adopts_it_first() {
    let newer = "4.3 1 2 3 4";
    asserts(node("2", "candidate - 4 - 1", THREE), message("ACK 4 3 2", newer), "follower - 4 -", newer, &[]);
    asserts(node("2", "claimant 1 4 - 3", THREE), message("ACK 4 3 2", newer), "electing 1 4 -", newer, &[]);
    // Its epoch is learned, though the message may teach none.
    asserts(node("2", "claimant - 4 - 3", THREE), message("RESIGN 6 3 2", "5.1 1 2 3"), "follower - 5 -", "5.1 1 2 3", &[]);
    asserts(node("3", "leader 3 4 3 1", THREE), message("RESIGN 6 1 3", "5.1 1 2 3"), "follower - 5 -", "5.1 1 2 3", &[]);
    asserts(node("2", "electing - 4 - 1 3", THREE), message("REFUSE 4 1 2", newer), "electing - 4 -", newer, &[]);
    // Who sent it matters not: a non-member's is adopted too.
    asserts(node("2", "follower 3 4 3", THREE), message("ACK 9 7 2", newer), "follower 3 4 3", newer, &[]);
    // The grant is made in the configuration that both hold then.
    asserts(node("2", "electing - 4 -", THREE), message("CLAIM 5 3 2", newer), "electing 3 5 3", newer, &["GRANT 5 3"]);
}

#[test]
fn r43_timers_go_by_the_whole_step() {
    // A candidate adopts, rests, says OK and asks again: it has stayed a candidate.
    let newer = "4.3 1 2 3 4";
    let sent = ["OK 4 1", "ELECTION 4 1", "ELECTION 4 3", "ELECTION 4 4"];
    asserts(node("2", "candidate - 4 -", THREE), message("ELECTION 4 1 2", newer), "candidate - 4 -", newer, &sent);
    assert_eq!(timers(node("2", "candidate - 4 -", THREE), message("ELECTION 4 1 2", newer)), [""; 0]);
}

#[test]
fn r44_who_is_no_member_is_heard_by_no_rule() {
    let two = || node("2", "follower 7 4 -", "4.2 1 2 3");
    for asks in ["ELECTION", "CLAIM", "COORDINATOR", "HEARTBEAT", "IM_BACK"] {
        asserts(two(), message(&format!("{asks} 9 7 2"), "4.1 1 2 3 7"), "follower 7 4 -", THREE, &["REFUSE 4 7"]);
        asserts(two(), message(&format!("{asks} 9 7 2"), THREE), "follower 7 4 -", THREE, &[]);
    }
    for answers in ["OK", "ASSENT", "GRANT", "REFUSE", "ACK", "RESIGN"] {
        asserts(two(), message(&format!("{answers} 9 7 2"), "4.1 1 2 3 7"), "follower 7 4 -", THREE, &[]);
    }
    // A removed node learns of it from the answer to what it says, and is at rest: nothing more is to be waited for.
    let removed = || node("7", "candidate - 4 -", "4.1 1 2 3 7");
    asserts(removed(), message("REFUSE 5 2 7", THREE), "follower - 4 -", THREE, &[]);
    assert_eq!(timers(removed(), message("REFUSE 5 2 7", THREE)), ["-election"]);
}

#[test]
fn r45_a_vote_is_given_in_the_same_configuration_only() {
    let (older, conf) = ("4.1 1 2 3", THREE);
    let idle = || node("2", "follower - 4 -", conf);
    asserts(idle(), message("ELECTION 4 3 2", older), "follower - 4 -", conf, &["REFUSE 4 3"]);
    asserts(idle(), message("CLAIM 5 3 2", older), "follower - 4 -", conf, &["REFUSE 4 3"]);
    asserts(node("3", "leader 3 4 3", conf), message("ELECTION 4 2 3", older), "leader 3 4 3", conf, &["OK 4 2", "COORDINATOR 4 2"]);
    // From who may not lead, or to who does not vote.
    let kinds = "4.2 1 2o 3w 4";
    for from in ["2", "3"] {
        let one = || node("1", "follower - 4 -", kinds);
        asserts(one(), message(&format!("ELECTION 4 {from} 1"), kinds), "follower - 4 -", kinds, &[&format!("REFUSE 4 {from}")]);
        asserts(one(), message(&format!("CLAIM 5 {from} 1"), kinds), "follower - 4 -", kinds, &[&format!("REFUSE 4 {from}")]);
    }
    asserts(node("2", "follower - 4 -", kinds), message("CLAIM 5 4 2", kinds), "follower - 4 -", kinds, &["REFUSE 4 4"]);
    asserts(node("3", "follower - 4 -", kinds), message("CLAIM 5 4 3", kinds), "electing 4 5 4", kinds, &["GRANT 5 4"]);
}

#[test]
fn r45_an_ack_of_another_configuration_dates_and_supports_nothing() {
    let other = "4.2 1 2 3w"; // the same epoch and version: equal is every member equal
    for conf in ["4.1 1 2 3", other] {
        asserts(node("2", "candidate - 4 -", THREE), message("OK 5 3 2", conf), "electing - 5 - 3", THREE, &[]);
        asserts(node("2", "candidate - 4 -", THREE), message("ASSENT 5 1 2", conf), "candidate - 5 - 1", THREE, &[]);
        let sent = ["COORDINATOR 5 1", "COORDINATOR 5 2"];
        asserts(node("3", "claimant - 4 -", THREE), message("GRANT 5 1 3", conf), "leader 3 5 3", "5.2 1 2 3", &sent);
        asserts(node("3", "claimant 1 4 -", THREE), message("GRANT 6 1 3", conf), "claimant 1 4 -", THREE, &[]);
        asserts(node("3", "leader 3 4 3", THREE), message("ACK 4 1 3", conf), "leader 3 4 3", THREE, &[]);
        assert_eq!(timers(node("3", "leader 3 4 3", THREE), message("ACK 4 1 3", conf)), ["+reign"]);
        asserts(node("3", "leader 3 4 3", THREE), message("ACK 5 1 3", conf), "follower - 5 -", THREE, &[]);
    }
    asserts(node("3", "leader 3 4 3", THREE), message("ACK 4 1 3", THREE), "leader 3 4 3 1", THREE, &[]);
}

#[test]
fn r46_a_member_that_does_not_stand_speaks_again_and_again() {
    let conf = "4.2 1 2w 3o";
    for me in ["2", "3"] {
        let said: Vec<String> = ["1", "2", "3"].iter().filter(|j| **j != me).map(|j| format!("IM_BACK 4 {j}")).collect();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        for state in ["follower 1 4 1", "follower - 4 1"] {
            asserts(node(me, state, conf), Input::Timer(Timer::Patience), "follower - 4 1", conf, &said);
            assert_eq!(timers(node(me, state, conf), Input::Timer(Timer::Patience)), ["+patience"]);
        }
        asserts(node(me, "electing 1 4 1 1", conf), Input::Timer(Timer::Coordinator), "follower - 4 1", conf, &said);
    }
    // Who is no member says nothing, and waits for nothing.
    let mut none = node("7", "follower 1 4 1", conf);
    let (state, effects) = step(&mut none, &Input::Timer(Timer::Patience));
    assert_eq!(
        (state["leader"].as_str(), &effects[..2]),
        (None, &[json!({"cancel": "patience"}), json!({"tell": {"leader": null, "epoch": 0}})][..])
    );
    assert_eq!(none.step(&Input::Timer(Timer::Patience)), Err(Ignored::NotRunning(Timer::Patience)));
}

#[test]
fn r46_a_voter_outranks_who_may_not_lead() {
    let conf = "4.2 1 2 3w 4o";
    // A witness is lower than any candidate; an observer is not asked.
    asserts(node("3", "follower - 4 -", conf), message("ELECTION 4 1 3", conf), "electing - 4 -", conf, &["ASSENT 4 1"]);
    asserts(node("1", "follower - 4 -", conf), Input::Timer(Timer::Patience), "candidate - 4 -", conf, &["ELECTION 4 2", "ELECTION 4 3"]);
    // A leader that has been made a witness hands over to whoever claims; a voter pre-empts it.
    let sent = ["GRANT 5 1", "RESIGN 4 1", "RESIGN 4 2", "RESIGN 4 4"];
    asserts(node("3", "leader 3 4 3", conf), message("CLAIM 5 1 3", conf), "electing 1 5 1", conf, &sent);
    assert_eq!(timers(node("1", "electing - 4 -", conf), message("HEARTBEAT 4 3 1", conf)), ["+patience", "+preempt", "-coordinator"]);
    asserts(node("1", "follower 3 4 3", conf), message("ELECTION 4 2 1 keeps 3", conf), "follower 3 4 3", conf, &["ASSENT 4 2"]);
    // The highest voter has nobody to wait for, though a witness is higher.
    let claims = ["CLAIM 5 1", "CLAIM 5 3"];
    asserts(node("2", "candidate - 4 - 1", conf), message("ASSENT 4 3 2", conf), "claimant - 4 -", conf, &claims);
    // Electors are asked again, too; all members are told.
    asserts(node("2", "claimant 3 4 3 1", conf), message("RESIGN 4 1 2", conf), "claimant 3 4 3 1", conf, &["CLAIM 5 3"]);
    let resigns = ["RESIGN 4 1", "RESIGN 4 3", "RESIGN 4 4"];
    asserts(node("2", "leader 2 4 2", conf), Input::Resign(None), "follower - 4 2", conf, &resigns);
    asserts(
        node("2", "leader 2 4 2", conf),
        Input::Timer(Timer::Heartbeat),
        "leader 2 4 2",
        conf,
        &["HEARTBEAT 4 1", "HEARTBEAT 4 3", "HEARTBEAT 4 4"],
    );
}

#[test]
fn r47_a_leader_changes_one_member_of_what_is_settled() {
    let leader = |support: &str| node("2", &format!("leader 2 4 2{support}"), "4.2 1 2 3w 4o");
    let heartbeats = ["HEARTBEAT 4 1", "HEARTBEAT 4 3", "HEARTBEAT 4 4"];
    for one in ["4.3 1 2 3w 4", "4.3 1 2 3w 4w", "4.3 1 2 3 4o", "4.3 1o 2 3w 4o", "4.3 1 2 3w 4o@h:1", "4.3 2 3w 4o", "4.3 1 2w 3w 4o"] {
        asserts(leader(" 3"), change(one), "leader 2 4 2", one, &heartbeats); // who is removed is told too
        assert_eq!(timers(leader(" 3"), change(one)), ["+heartbeat"]);
    }
    let added = "4.3 1 2 3w 4o 5w";
    asserts(leader(" 1"), change(added), "leader 2 4 2", added, &[&heartbeats[..], &["HEARTBEAT 4 5"]].concat());
}

#[test]
fn r47_anything_else_is_no_step() {
    let refuses = |mut node: Node, to: &str| {
        let before = node.state().clone();
        assert_eq!(node.step(&change(to)), Err(Ignored::NoChange), "{to}");
        assert_eq!(*node.state(), before);
    };
    let leader = |support: &str| node("2", &format!("leader 2 4 2{support}"), "4.2 1 2 3w 4o");
    let good = "4.3 1 2 3w 4";
    refuses(node("2", "follower 1 4 1", "4.2 1 2 3w 4o"), good); // 1: it does not lead
    refuses(leader(" 1"), "3.3 1 2 3w 4"); // 2: another epoch
    refuses(leader(" 1"), "4.2 1 2 3w 4"); // 2: another version than the next
    refuses(leader(" 1"), "4.4 1 2 3w 4");
    refuses(leader(" 4"), good); // 3: an observer settles nothing
    refuses(leader(" 1"), "4.3 1 2 3w 4o"); // 4: none differs
    refuses(leader(" 1"), "4.3 1 2 3 4"); // 4: two do
    refuses(leader(" 1"), "4.3 1 3w 4o"); // 5: itself removed
    refuses(leader(" 1"), "4.3 1 2o 3w 4o");
}

#[test]
fn r48_the_winner_stamps_its_configuration() {
    let (conf, won) = ("3.7 1 2 3o", "5.7 1 2 3o");
    let mut two = node("2", "claimant - 4 -", conf);
    asserts(two.clone(), message("GRANT 5 1 2", conf), "leader 2 5 2", won, &["COORDINATOR 5 1", "COORDINATOR 5 3"]);
    let (_, effects) = step(&mut two, &message("GRANT 5 1 2", conf));
    assert_eq!(effects[0]["save"], json!({"epoch": 5, "grantee": "2", "reserved": 1 << 20, "configuration": configuration(won)}));
}

#[test]
fn r49_the_first_members_and_those_who_join() {
    let start = |me: &str, conf: &str| {
        let first = json::configuration(&configuration(conf)).expect("a configuration");
        let started = Node::start(me.parse().expect("an id"), Members::Changing(first));
        started.map(|(_, effects)| Json(&effects[..]).to_string())
    };
    let saved = r#"[{"save":{"epoch":0,"grantee":null,"reserved":1048576,"configuration":{"epoch":0,"version":"#;
    let first = start("2", "0.1 1 2w").expect("one of the first");
    assert!(first.starts_with(saved) && first.ends_with(r#"{"arm":"patience"}]"#), "{first}");
    // Who joins knows no member, and has nothing to wait for but a leader.
    assert_eq!(start("9", "0.0").expect("one who joins"), saved.to_owned() + r#"0,"members":[]}}}]"#);
    for wrong in ["0.1 1 2", "0.2 1 9", "1.1 1 9"] {
        assert!(start("9", wrong).is_err(), "{wrong}");
    }
    asserts(node("9", "follower - 0 -", "0.0"), message("HEARTBEAT 4 1 9", "4.2 1 9o"), "follower 1 4 1", "4.2 1 9o", &["ACK 4 1"]);
    assert_eq!(timers(node("9", "follower - 0 -", "0.0"), message("HEARTBEAT 4 1 9", "4.2 1 9o")), ["+patience"]);

    let record = json!({"epoch": 4, "grantee": "7", "reserved": 1 << 20, "configuration": configuration("4.2 1 2 3o")});
    let record = json::promise(&record, None).expect("a record; its grantee may have been removed since");
    let (_, effects) = Node::restart("2".parse().expect("an id"), record).expect("a restart");
    let effects = Json(&effects[..]).to_string();
    assert!(effects.contains(r#""type":"IM_BACK","from":"2","to":"1""#) && effects.contains(r#""to":"3""#), "{effects}");
}

#[test]
fn the_two_sorts_of_cluster_do_not_mix() {
    let mut changing = node("2", "follower - 4 -", THREE);
    let fixed = json!({"role": "follower", "leader": null, "epoch": 4, "grantee": null, "support": []});
    let fixed = json::state(&numbered(fixed, "2", &["1", "2", "3"]), Some(&json!(["1", "2", "3"]))).expect("a state");
    let mut fixed = Node::load("2".parse().expect("an id"), fixed).expect("a state of 2");
    let plain = json::message(&asked(json!({"type": "CLAIM", "from": "3", "to": "2", "epoch": 5}))).expect("a message");
    assert_eq!(changing.step(&Input::Message(plain)), Err(Ignored::OtherSort));
    assert_eq!(fixed.step(&message("CLAIM 5 3 2", THREE)), Err(Ignored::OtherSort));
    assert_eq!(fixed.step(&change(THREE)), Err(Ignored::NoChange));
}
