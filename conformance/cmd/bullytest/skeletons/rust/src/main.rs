//! A port, to begin with: it starts nodes (R32), gets R8 wrong, and can do nothing else.
//!
//!     cargo build --release && bullytest check -- target/release/port
//!
//! What a node does is in spec/README.md, section 8, and as one block of code in spec/code.md. What is read and written
//! here is in conformance/CERTIFYING.md. Ids are bytes to compare (R1), and text in JSON.

use serde_json::{json, Value};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

struct Node {
    _me: Value,
    _members: Value,
    role: &'static str,
    leader: Option<String>,
    epoch: u64,
    grantee: Option<String>,
    support: Vec<String>, // ascending by R1
    lease: u64, // this and the next two are numbers of questions (R50); a leader has dated and answered besides
    asked: u64,
    latest: u64,
}

impl Node {
    fn new(q: &Value) -> Node {
        Node {
            _me: q["me"].clone(),
            _members: q["members"].clone(),
            role: "follower",
            leader: None,
            epoch: 0,
            grantee: None,
            support: vec![],
            lease: 0,
            asked: 0,
            latest: 1,
        }
    }

    fn state(&self) -> Value {
        json!({
            "role": self.role, "leader": self.leader, "lease": self.lease, "epoch": self.epoch, "grantee": self.grantee,
            "support": self.support, "asked": self.asked, "latest": self.latest
        })
    }

    /// R32. The effects of a step, in the order of section 10: save, over, cancel and arm, send, tell.
    fn start(&mut self) -> Value {
        json!([{"save": {"epoch": 0, "grantee": null, "reserved": 1 << 20}}, {"arm": "patience"}])
    }

    fn end(&mut self, timer: &str) -> Result<Value, String> {
        if timer == "patience" {
            // R8. Yours: this is wrong. The lease ends, the node becomes a candidate, ELECTION goes to all others, one
            // timer is cancelled and another armed (R36), and users are told if they know of no leader any more (R39).
            return Ok(json!([]));
        }
        Err(format!("the timer {timer}: R9, R14, R15, R22, R26, R27"))
    }
}

/// The reply to a request without its id, or why it is not supported.
fn answer(nodes: &mut HashMap<String, Node>, q: &Value) -> Result<Value, String> {
    let name = q["node"].as_str().unwrap_or("").to_string();
    match q["op"].as_str().unwrap_or("") {
        "hello" => Ok(json!({"port": {"name": "mine", "version": "0.1", "language": "Rust"}, "protocol": 1, "features": []})),
        "reset" => {
            nodes.clear();
            Ok(json!({"ok": true}))
        }
        "crash" => {
            nodes.remove(&name);
            Ok(json!({"ok": true}))
        }
        "bye" => Ok(json!({"ok": true})),
        "start" => {
            let mut node = Node::new(q);
            let reply = json!({"effects": node.start(), "state": node.state()});
            nodes.insert(name, node);
            Ok(reply)
        }
        "end" => {
            let node = nodes.get_mut(&name).ok_or("no such node")?;
            let effects = node.end(q["timer"].as_str().unwrap_or(""))?;
            Ok(json!({"effects": effects, "state": node.state()}))
        }
        // To come: restart (R30), load, receive (R33 first, then R34, then R10 to R31 by the type of the message), call (R28,
        // R41). An input that is no step is answered with {"ignored": why, "state": …}.
        op => Err(format!("the op {op}")),
    }
}

fn main() {
    let mut nodes = HashMap::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let q: Value = serde_json::from_str(&line.expect("input")).expect("a request is JSON");
        let mut reply = answer(&mut nodes, &q).unwrap_or_else(|why| json!({"unsupported": why}));
        reply["id"] = q["id"].clone();
        writeln!(out, "{reply}").and_then(|()| out.flush()).expect("output");
        if q["op"] == "bye" {
            break;
        }
    }
}
