//! The program itself, spoken to over its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

fn port() -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bully-port"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the port starts")
}

/// Gives the port all requests at once, and returns its replies.
fn replies(requests: &[u8]) -> Vec<String> {
    let mut port = port();
    port.stdin.take().expect("its input").write_all(requests).expect("it reads");
    let lines = BufReader::new(port.stdout.take().expect("its output")).lines().collect::<Result<_, _>>().expect("UTF-8");
    assert!(port.wait().expect("it ends").success());
    lines
}

#[test]
fn it_says_who_it_is_and_goes_when_told() {
    let lines = replies(b"{\"id\":1,\"op\":\"hello\",\"protocol\":1}\n{\"id\":2,\"op\":\"bye\"}\n{\"id\":3,\"op\":\"reset\"}\n");
    assert_eq!(lines.len(), 2); // what follows bye is not answered
    assert!(
        lines[0].starts_with(r#"{"id":1,"port":{"name":"bully-rust","#)
            && lines[0].ends_with(r#""protocol":1,"features":["fence","members","names"]}"#)
    );
    assert_eq!(lines[1], r#"{"id":2,"ok":true}"#);
}

#[test]
fn half_a_line_is_not_answered() {
    assert_eq!(replies(b"{\"id\":1,\"op\":\"reset\"}\n{\"id\":2,\"op\":\"reset\"}"), [r#"{"id":1,"ok":true}"#]);
}

#[test]
fn a_step_and_an_ignored_input() {
    let lines = replies(
        br#"{"id":5,"op":"load","node":"a","me":"2","members":["1","2","3"],"state":{"role":"follower","leader":"3","lease":3,"epoch":3,"grantee":"3","support":[],"asked":0,"latest":6}}
{"id":6,"op":"receive","node":"a","message":{"type":"CLAIM","from":"3","to":"2","epoch":4,"question":4}}
{"id":7,"op":"end","node":"a","timer":"patience"}
{"id":8,"op":"call","node":"a","call":"resign"}
{"id":9,"op":"receive","node":"a","message":17}
{"id":10,"op":"receive","node":"a","message":{"type":"CLAIM","from":"3","to":"2","epoch":1e999,"question":4}}
{"id":11,"op":"receive","node":"a","message":{"type":"CLAIM","from":"3","to":"2","epoch":99999999999999999999999999999999,"question":4}}
{"id":12,"op":"receive","node":"a","message":{"type":"CLAIM","from":"3","to":"2","epoch":5.0,"question":4}}
{"id":13,"op":"receive","node":"a","message":{"type":"CLAIM","from":"3","to":"2","epoch":4.00000000000000000000000000000001,"question":4}}
{"id":14,"op":"end","node":"a","timer":"nap"}
{"id":15,"op":"call","node":"a","call":"sing"}
"#,
    );
    let state = r#""state":{"role":"electing","leader":"3","lease":4,"epoch":4,"grantee":"3","support":[],"asked":0,"latest":6}}"#;
    assert_eq!(
        lines[1],
        [
            r#"{"id":6,"effects":[{"save":{"epoch":4,"grantee":"3","reserved":1048576}},{"cancel":"patience"},{"arm":"coordinator"},"#,
            r#"{"send":{"type":"GRANT","from":"2","to":"3","epoch":4,"question":4}},{"tell":{"leader":null,"epoch":0}}],"#,
            state
        ]
        .concat()
    );
    assert_eq!(lines[2], format!(r#"{{"id":7,"ignored":"the patience timer does not run (R35)",{state}"#));
    assert_eq!(lines.len(), 11);
    for line in &lines[3..] {
        assert!(line.contains(r#""ignored":""#) && line.ends_with(state), "{line}");
    }
}

/// The example of the kit's page, where the replies are the same but for the order of fields.
#[test]
fn a_node_of_changing_members() {
    let requests = [
        r#"{"id":3,"op":"start","node":"7/2","me":"2","configuration":{"epoch":0,"version":1,"members":[{"id":"1","kind":"voter"},{"id":"2","kind":"witness","address":"h:1"}]}}"#,
        r#"{"id":4,"op":"start","node":"7/9","me":"9","configuration":{"epoch":0,"version":0,"members":[]}}"#,
        r#"{"id":5,"op":"restart","node":"7/9","me":"9","promise":{"epoch":4,"grantee":"1","reserved":1048576,"configuration":{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"observer"}]}}}"#,
        r#"{"id":6,"op":"load","node":"a","me":"1","state":{"role":"leader","leader":"1","lease":0,"epoch":4,"grantee":"1","support":[],"asked":0,"latest":6,"dated":2,"answered":[],"configuration":{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"observer"}]}}}"#,
        r#"{"id":7,"op":"call","node":"a","call":"change","configuration":{"epoch":4,"version":3,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"voter"}]}}"#,
        r#"{"id":8,"op":"call","node":"a","call":"change","configuration":{"epoch":4,"version":4,"members":[]}}"#,
        r#"{"id":9,"op":"call","node":"a","call":"change"}"#,
        r#"{"id":10,"op":"receive","node":"a","message":{"type":"ACK","from":"9","to":"1","epoch":4,"question":4,"configuration":null}}"#,
        r#"{"id":11,"op":"receive","node":"a","message":{"type":"ACK","from":"9","to":"1","epoch":4,"question":4}}"#,
    ];
    let lines = replies(&(requests.join("\n") + "\n").into_bytes());
    assert_eq!(
        lines[..5],
        [
            r#"{"id":3,"effects":[{"save":{"epoch":0,"grantee":null,"reserved":1048576,"configuration":{"epoch":0,"version":1,"members":[{"id":"1","kind":"voter"},{"id":"2","kind":"witness","address":"h:1"}]}}},{"arm":"patience"}],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1,"configuration":{"epoch":0,"version":1,"members":[{"id":"1","kind":"voter"},{"id":"2","kind":"witness","address":"h:1"}]}}}"#,
            r#"{"id":4,"effects":[{"save":{"epoch":0,"grantee":null,"reserved":1048576,"configuration":{"epoch":0,"version":0,"members":[]}}}],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1,"configuration":{"epoch":0,"version":0,"members":[]}}}"#,
            r#"{"id":5,"effects":[{"save":{"epoch":4,"grantee":"1","reserved":2097152,"configuration":{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"observer"}]}}},{"arm":"coordinator"},{"send":{"type":"IM_BACK","from":"9","to":"1","epoch":4,"question":1048577,"configuration":{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"observer"}]}}}],"state":{"role":"electing","leader":"9","lease":0,"epoch":4,"grantee":"1","support":[],"asked":0,"latest":1048577,"configuration":{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"observer"}]}}}"#,
            r#"{"id":6,"state":{"role":"leader","leader":"1","lease":0,"epoch":4,"grantee":"1","support":[],"asked":0,"latest":6,"dated":2,"answered":[],"configuration":{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"observer"}]}}}"#,
            r#"{"id":7,"effects":[{"save":{"epoch":4,"grantee":"1","reserved":1048576,"configuration":{"epoch":4,"version":3,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"voter"}]}}},{"arm":"heartbeat"},{"send":{"type":"HEARTBEAT","from":"1","to":"9","epoch":4,"question":7,"configuration":{"epoch":4,"version":3,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"voter"}]}}}],"state":{"role":"leader","leader":"1","lease":0,"epoch":4,"grantee":"1","support":[],"asked":0,"latest":7,"dated":2,"answered":[],"configuration":{"epoch":4,"version":3,"members":[{"id":"1","kind":"voter"},{"id":"9","kind":"voter"}]}}}"#,
        ]
    );
    assert_eq!(lines.len(), requests.len());
    for line in &lines[5..] {
        assert!(line.contains(r#""ignored":""#) && line.contains(r#""version":3"#), "{line}");
    }
}

#[test]
fn wrong_requests_are_answered_and_cost_nothing() {
    let wrong: [&[u8]; 24] = [
        br#"{"id":1.0,"op":"reset"}"#,
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[1]",
        b"{\"id\":4}",
        br#"{"id":1,"op":"fly"}"#,
        br#"{"id":1,"op":"start","node":"a","me":"4","members":["1","2"]}"#,
        br#"{"id":1,"op":"start","node":"a","me":"1","members":["2","1"]}"#,
        br#"{"id":1,"op":"start","node":"a","me":"1","members":[]}"#,
        br#"{"id":1,"op":"start","me":"1","members":["1"]}"#,
        br#"{"id":1,"op":"restart","node":"a","me":"1","members":["1"]}"#,
        br#"{"id":1,"op":"restart","node":"a","me":"1","members":["1"],"promise":{"epoch":1,"grantee":"2","reserved":1048576}}"#,
        br#"{"id":1,"op":"load","node":"a","me":"1","members":["1"],"state":{"role":"king","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":6}}"#,
        br#"{"id":1,"op":"load","node":"a","me":"1","members":["1"],"state":{"role":"claimant","leader":null,"lease":0,"epoch":9007199254740991,"grantee":null,"support":[],"asked":0,"latest":6}}"#,
        br#"{"id":1,"op":"start","node":"a","me":"1"}"#,
        br#"{"id":1,"op":"start","node":"a","me":"1","configuration":{"epoch":0,"version":1,"members":[]}}"#,
        br#"{"id":1,"op":"start","node":"a","me":"2","configuration":{"epoch":0,"version":1,"members":[{"id":"1","kind":"voter"}]}}"#,
        br#"{"id":1,"op":"restart","node":"a","me":"1","promise":{"epoch":1,"grantee":null,"reserved":1048576,"configuration":{"epoch":2,"version":1,"members":[{"id":"1","kind":"voter"}]}}}"#,
        br#"{"id":1,"op":"load","node":"a","me":"1","state":{"role":"electing","leader":null,"lease":0,"epoch":1,"grantee":null,"support":["2"],"asked":0,"latest":6,"configuration":{"epoch":1,"version":1,"members":[{"id":"1","kind":"voter"}]}}}"#,
        br#"{"id":1,"op":"receive","node":"nobody","message":{}}"#,
        br#"{"id":1,"op":"write","resource":"r","epoch":9007199254740992,"value":"x"}"#,
        br#"{"id":1,"op":"hello","protocol":2}"#,
    ];
    let lines = replies(&wrong.map(|line| [line, b"\n"].concat()).concat());
    assert_eq!(lines.len(), wrong.len());
    for (request, reply) in wrong.iter().zip(&lines) {
        let value: serde_json::Value = serde_json::from_str(reply).expect("a reply is JSON");
        assert!(value.get("error").or(value.get("unsupported")).is_some(), "{reply} to {}", String::from_utf8_lossy(request));
        assert!(!reply.contains("a bug"), "{reply} to {}", String::from_utf8_lossy(request));
    }
}

#[test]
fn a_fence_admits_no_epoch_below_the_highest() {
    let lines = replies(
        br#"{"id":1,"op":"write","resource":"r","epoch":5,"value":"five"}
{"id":2,"op":"write","resource":"r","epoch":4,"value":"four"}
{"id":3,"op":"write","resource":"r","epoch":5,"value":"\"again\""}
{"id":4,"op":"write","resource":"r","value":"no epoch"}
{"id":5,"op":"read","resource":"r"}
{"id":6,"op":"read","resource":"other"}
{"id":7,"op":"reset"}
{"id":8,"op":"read","resource":"r"}
"#,
    );
    assert_eq!(
        lines,
        [
            r#"{"id":1,"admitted":true,"highest":5}"#,
            r#"{"id":2,"admitted":false,"highest":5}"#,
            r#"{"id":3,"admitted":true,"highest":5}"#,
            r#"{"id":4,"admitted":false,"highest":5}"#,
            r#"{"id":5,"value":"\"again\"","highest":5}"#,
            r#"{"id":6,"value":"","highest":0}"#,
            r#"{"id":7,"ok":true}"#,
            r#"{"id":8,"value":"","highest":0}"#,
        ]
    );
}

/// A reply that waits for the other half of the next request would wait for ever.
#[test]
fn a_reply_is_flushed_before_half_a_request_is_waited_for() {
    let mut port = port();
    let mut input = port.stdin.take().expect("its input");
    let mut output: BufReader<ChildStdout> = BufReader::new(port.stdout.take().expect("its output"));
    let mut line = String::new();
    for (sent, reply) in [("{\"id\":1,\"op\":\"reset\"}\n{\"id\":2,\"op\":\"re", 1), ("set\"}\n", 2)] {
        input.write_all(sent.as_bytes()).expect("it reads");
        line.clear();
        output.read_line(&mut line).expect("it replies");
        assert_eq!(line, format!("{{\"id\":{reply},\"ok\":true}}\n"));
    }
    drop(input);
    assert!(port.wait().expect("it ends").success());
}
