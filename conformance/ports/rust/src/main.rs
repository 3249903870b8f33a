//! The port: reads requests, one JSON object a line, and replies to each with one line.
//!
//! It hosts all nodes of a case and remembers nothing but through them. Time, disks and links are the kit's.

use bully::json::{self, Json};
use bully::{Epoch, Id, Ignored, Input, Node, Resource, Timer};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Why a request has no other answer.
enum Failure {
    Unsupported(String),
    Error(String),
}

impl From<&'static str> for Failure {
    fn from(why: &'static str) -> Failure {
        Failure::Error(why.to_owned())
    }
}

/// The fields of a reply but its id, as JSON.
type Reply = Result<String, Failure>;

#[derive(Default)]
struct Host {
    nodes: HashMap<String, Node>,
    resources: HashMap<String, Resource>,
}

const HELLO: &str = concat!(
    r#""port":{"name":"bully-rust","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#"","language":"Rust"},"protocol":1,"features":["fence","members","names"]"#
);
const OK: &str = r#""ok":true"#;

impl Host {
    fn answer(&mut self, request: &Value) -> Reply {
        match text(request, "op")? {
            "hello" if request["protocol"] != 1 => Err(Failure::Unsupported("this port speaks protocol 1".to_owned())),
            "hello" => Ok(HELLO.to_owned()),
            "reset" => {
                *self = Host::default();
                Ok(OK.to_owned())
            }
            "start" => {
                let members = json::members(request.get("members"), &request["configuration"])?;
                let (node, effects) = Node::start(me(request)?, members)?;
                self.place(request, node, |node| stepped(node, Ok(effects)))
            }
            "restart" => {
                let promise = json::promise(&request["promise"], request.get("members"))?;
                let (node, effects) = Node::restart(me(request)?, promise)?;
                self.place(request, node, |node| stepped(node, Ok(effects)))
            }
            "load" => {
                let state = json::state(&request["state"], request.get("members"))?;
                let node = Node::load(me(request)?, state)?;
                self.place(request, node, |node| format!(r#""state":{}"#, Json(node.state())))
            }
            "receive" => {
                request.get("message").ok_or_else(|| Failure::Error("the field message is missing".to_owned()))?;
                self.step(request, |q| json::message(&q["message"]).map(Input::Message))
            }
            "end" => {
                text(request, "timer")?;
                self.step(request, timer)
            }
            "call" => {
                text(request, "call")?;
                self.step(request, call)
            }
            "crash" => {
                self.nodes.remove(text(request, "node")?);
                Ok(OK.to_owned())
            }
            "write" => self.write(request),
            "read" => self.read(request),
            "bye" => Ok(OK.to_owned()),
            op => Err(Failure::Unsupported(format!("no such op: {op}"))),
        }
    }

    /// Puts a node in the place of that name, and replies what is said of it.
    fn place(&mut self, request: &Value, node: Node, say: impl FnOnce(&Node) -> String) -> Reply {
        let name = text(request, "node")?;
        let said = say(&node);
        self.nodes.insert(name.to_owned(), node);
        Ok(said)
    }

    fn step(&mut self, request: &Value, input: impl FnOnce(&Value) -> Result<Input, Ignored>) -> Reply {
        let name = text(request, "node")?;
        let node = self.nodes.get_mut(name).ok_or_else(|| absent(name))?;
        let outcome = input(request).and_then(|input| node.step(&input));
        Ok(stepped(node, outcome))
    }

    fn write(&mut self, request: &Value) -> Reply {
        let epoch = request.get("epoch").map_or(Ok(Epoch::ZERO), json::epoch)?;
        let (name, value) = (text(request, "resource")?, text(request, "value")?);
        let resource = self.resources.entry(name.to_owned()).or_default();
        let admitted = resource.write(epoch, value).is_ok();
        Ok(format!(r#""admitted":{admitted},"highest":{}"#, resource.highest()))
    }

    fn read(&mut self, request: &Value) -> Reply {
        let resource = self.resources.entry(text(request, "resource")?.to_owned()).or_default();
        Ok(format!(r#""value":{},"highest":{}"#, Value::from(resource.value()), resource.highest()))
    }
}

fn text<'a>(request: &'a Value, field: &'static str) -> Result<&'a str, Failure> {
    request[field].as_str().ok_or_else(|| Failure::Error(format!("the field {field} is missing, or no string")))
}

fn me(request: &Value) -> Result<Id, Failure> {
    Ok(json::id(&request["me"])?)
}

fn absent(name: &str) -> Failure {
    Failure::Error(format!("there is no node {name:?}: start, restart or load it first"))
}

fn timer(request: &Value) -> Result<Input, Ignored> {
    let timer = request["timer"].as_str().and_then(Timer::named);
    timer.map(Input::Timer).ok_or(Ignored::Malformed("no such timer"))
}

fn call(request: &Value) -> Result<Input, Ignored> {
    match request["call"].as_str() {
        Some("resign") => {
            let named = request.get("names").map(|names| json::named(names, request.get("hold"))).transpose();
            named.map(Input::Resign).map_err(Ignored::Malformed)
        }
        Some("holder-dead") => Ok(Input::HolderDead),
        Some("change") => json::configuration(&request["configuration"]).map(Input::Change).map_err(Ignored::Malformed),
        _ => Err(Ignored::Malformed("no such call")),
    }
}

fn stepped(node: &Node, outcome: Result<Vec<bully::Effect>, Ignored>) -> String {
    let state = Json(node.state());
    match outcome {
        Ok(effects) => format!(r#""effects":{},"state":{state}"#, Json(&effects[..])),
        Err(why) => format!(r#""ignored":{},"state":{state}"#, Value::from(why.to_string())),
    }
}

/// Replies to one line, and says whether it was the last.
fn reply(host: &mut Host, line: &[u8], out: &mut impl Write) -> io::Result<bool> {
    let request = serde_json::from_slice(line).unwrap_or(Value::Null);
    let Some(id) = request["id"].as_i64() else {
        writeln!(out, r#"{{"id":null,"error":"the request is no JSON object with an integer id"}}"#)?;
        return Ok(false);
    };
    // A panic would be a bug of this port. It costs one answer, and not the nodes: a step replaces a state when it is done.
    let answer = catch_unwind(AssertUnwindSafe(|| host.answer(&request)))
        .unwrap_or_else(|_| Err(Failure::Error("a bug in the port: see its standard error".to_owned())));
    let fields = match answer {
        Ok(fields) => fields,
        Err(Failure::Unsupported(why)) => format!(r#""unsupported":{}"#, Value::from(why)),
        Err(Failure::Error(why)) => format!(r#""error":{}"#, Value::from(why)),
    };
    writeln!(out, r#"{{"id":{id},{fields}}}"#)?;
    Ok(request["op"] == "bye")
}

fn main() -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut host = Host::default();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        // A line without its end has been cut short: its writer is gone, and waits for no reply.
        if !line.ends_with(b"\n") || reply(&mut host, &line, &mut out)? {
            break;
        }
        line.clear();
        // Half a line may be buffered: its other half may come only after these replies.
        if !input.buffer().contains(&b'\n') {
            out.flush()?;
        }
    }
    out.flush()
}
