//! JSON, read strictly and written in the order of the specification (spec/wire.md and spec/trace.md).
//!
//! Reading starts from a [`Value`], which has forgotten a field that was given twice, and escapes. Who reads messages from
//! a wire, and not from a program that has read them already, must refuse these first (R33).

use crate::configuration::{Configuration, Kind, Member, Members};
use crate::id::{Epoch, Id, Question, Reserved};
use crate::message::{Granted, Message, MessageType, Named, Successor};
use crate::node::{Effect, Ignored};
use crate::state::{Promise, Role, State};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// What is wrong with a value that is not of its form.
pub type Wrong = &'static str;

/// Reads a message, and refuses what is not exactly one (R33).
pub fn message(value: &Value) -> Result<Message, Ignored> {
    let fields = object(value).map_err(Ignored::Malformed)?;
    let configuration = fields.get("configuration").map(configuration).transpose().map_err(Ignored::Malformed)?;
    let field = |name| fields.get(name).ok_or(Ignored::Malformed("a field is missing or unknown"));
    let name = field("type")?.as_str().ok_or(Ignored::Malformed("the type is no string"))?;
    let kind = kind(name, fields).map_err(Ignored::Malformed)?;
    let more = match kind {
        Some(MessageType::Resign { to: Some(Successor::Named(named)) }) if named.hold > 0 => 2,
        Some(MessageType::Election { .. } | MessageType::Resign { to: Some(_) } | MessageType::Claim { names: Some(_) }) => 1,
        _ => 0,
    };
    if fields.len() != 5 + more + usize::from(configuration.is_some()) {
        return Err(Ignored::Malformed("a field is missing or unknown"));
    }
    let from = id(field("from")?).map_err(Ignored::Malformed)?;
    let to = id(field("to")?).map_err(Ignored::Malformed)?;
    let epoch = epoch(field("epoch")?).map_err(Ignored::Malformed)?;
    let question = question(field("question")?).map_err(Ignored::Malformed)?;
    if from == to {
        return Err(Ignored::Malformed("the sender is the receiver"));
    }
    if matches!(kind, Some(MessageType::Claim { names: Some(l) } | MessageType::Resign { to: Some(Successor::Named(Named { id: l, .. })) }) if l == from) {
        return Err(Ignored::Malformed("the sender names itself"));
    }
    if matches!(kind, Some(MessageType::Resign { to: Some(Successor::Granted(Granted { by, .. })) }) if by == from) {
        return Err(Ignored::Malformed("the sender has granted a claim of its own"));
    }
    if configuration.as_ref().is_some_and(|c| c.epoch() > epoch) {
        return Err(Ignored::Malformed("the epoch of the configuration is above that of the message"));
    }
    let kind = kind.ok_or(Ignored::UnknownType)?;
    Ok(Message { kind, from, to, epoch, question, configuration })
}

/// Reads what one of that type says besides; `None` if nobody knows the type.
fn kind(name: &str, fields: &Map<String, Value>) -> Result<Option<MessageType>, Wrong> {
    Ok(match name {
        "ELECTION" => Some(MessageType::Election { keeps: node(fields.get("keeps"))? }),
        "CLAIM" => Some(MessageType::Claim { names: fields.get("names").map(id).transpose()? }),
        "RESIGN" => Some(MessageType::Resign { to: successor(fields)? }),
        _ => MessageType::plain(name),
    })
}

/// Reads whom a RESIGN says to be the next. What is there besides is a field too many.
fn successor(fields: &Map<String, Value>) -> Result<Option<Successor>, Wrong> {
    match (fields.get("granted"), fields.get("names")) {
        (Some(claim), _) => granted(claim).map(|g| Some(Successor::Granted(g))),
        (None, Some(names)) => named(names, fields.get("hold")).map(|n| Some(Successor::Named(n))),
        (None, None) => Ok(None),
    }
}

/// Reads who is named, and for how long that one is to be left in peace: a missing time is 0 (R51).
pub fn named(names: &Value, hold: Option<&Value>) -> Result<Named, Wrong> {
    let hold = hold.map_or(Some(0), |d| d.as_u64().filter(|d| (1..=Named::MAX_HOLD).contains(d)));
    Ok(Named { id: id(names)?, hold: hold.ok_or("a hold that is no integer of 1 to 86,400,000 (R51)")? })
}

/// Reads a claim that was granted (R18).
fn granted(value: &Value) -> Result<Granted, Wrong> {
    let fields = object(value)?;
    if fields.len() != 3 {
        return Err("a field of what was granted is missing or unknown");
    }
    let field = |name| fields.get(name).unwrap_or(&Value::Null);
    Ok(Granted { by: id(field("by"))?, epoch: epoch(field("epoch"))?, question: question(field("question"))? })
}

/// Reads a configuration, and refuses what is not exactly one (R42).
pub fn configuration(value: &Value) -> Result<Arc<Configuration>, Wrong> {
    let fields = object(value)?;
    let (Some(e), Some(version), Some(members), 3) = (fields.get("epoch"), fields.get("version"), fields.get("members"), fields.len())
    else {
        return Err("a field of the configuration is missing or unknown");
    };
    let version = version.as_u64().ok_or("a version that is no integer")?;
    let members = members.as_array().ok_or("the members are no list")?;
    let members = members.iter().map(member).collect::<Result<_, _>>()?;
    Configuration::new(epoch(e)?, version, members).map(Arc::new)
}

/// Reads a member of a configuration.
fn member(value: &Value) -> Result<Member, Wrong> {
    let fields = object(value)?;
    let address = fields.get("address").map_or(Some(""), Value::as_str).ok_or("an address that is none (R42)")?;
    let rank = fields.get("rank").map_or(Some(0), Value::as_u64).and_then(|n| u16::try_from(n).ok()).ok_or("a rank that is none (R1)")?;
    // A rank of 0 and an empty address are left out: one that is written is a field too many.
    if fields.len() != 2 + usize::from(rank > 0) + usize::from(!address.is_empty()) {
        return Err("a field of a member is missing or unknown");
    }
    let kind = fields.get("kind").and_then(Value::as_str).and_then(Kind::named).ok_or("a kind that is none (R42)")?;
    Ok(Member { id: id(fields.get("id").unwrap_or(&Value::Null))?, kind, rank, address: address.to_owned() })
}

/// Reads fixed members, or, if there are none, the first configuration of changing ones.
pub fn members(members: Option<&Value>, first: &Value) -> Result<Members, Wrong> {
    let Some(members) = members else {
        return configuration(first).map(Members::Changing);
    };
    let ids = members.as_array().ok_or("the members are no list")?;
    let ids = ids.iter().map(id).collect::<Result<Vec<_>, _>>()?;
    Members::fixed(&ids).ok_or("the members are not ascending, each once")
}

/// Reads what a disk has kept; where there are no fixed members, it has kept a configuration.
pub fn promise(value: &Value, fixed: Option<&Value>) -> Result<Promise, Wrong> {
    let fields = object(value)?;
    let members = members(fixed, &value["configuration"])?;
    let reserved = value["reserved"].as_u64().and_then(Reserved::new).ok_or("reserved is no integer of 0 to 2^52 (R50)")?;
    Ok(Promise { epoch: epoch(&value["epoch"])?, grantee: node(fields.get("grantee"))?, reserved, members })
}

/// Reads a whole state; where there are no fixed members, it has a configuration.
pub fn state(value: &Value, fixed: Option<&Value>) -> Result<State, Wrong> {
    let fields = object(value)?;
    let members = members(fixed, &value["configuration"])?;
    let epoch = epoch(&value["epoch"])?;
    let role = match fields.get("role").and_then(Value::as_str) {
        Some("follower") => Role::Follower,
        Some("candidate") => Role::Candidate,
        Some("electing") => Role::Electing,
        Some("claimant") => Role::Claimant { claims: epoch.next().ok_or("a claimant has no epoch to claim (R2)")? },
        Some("leader") => Role::Leader,
        _ => return Err("the role is none"),
    };
    let list = fields.get("support").and_then(Value::as_array).ok_or("the support is no list")?;
    let support = list.iter().map(id).collect::<Result<BTreeSet<Id>, _>>()?;
    if support.len() < list.len() {
        return Err("the support holds a node twice");
    }
    let leads = role == Role::Leader;
    Ok(State {
        role,
        leader: node(fields.get("leader"))?,
        lease: number(&value["lease"])?,
        epoch,
        grantee: node(fields.get("grantee"))?,
        support,
        asked: number(&value["asked"])?,
        latest: question(&value["latest"])?,
        dated: if leads { number(&value["dated"])? } else { None },
        answered: if leads { answered(&value["answered"])? } else { BTreeMap::new() },
        members,
    })
}

/// Reads who has answered which question.
fn answered(value: &Value) -> Result<BTreeMap<Id, Question>, Wrong> {
    let list = value.as_array().ok_or("who has answered is no list")?;
    list.iter().map(|each| Ok((id(&each["node"])?, question(&each["question"])?))).collect()
}

fn object(value: &Value) -> Result<&Map<String, Value>, Wrong> {
    value.as_object().ok_or("not an object")
}

/// Reads the id of a node.
pub fn id(value: &Value) -> Result<Id, Wrong> {
    value.as_str().and_then(|text| text.parse().ok()).ok_or("an id that is none (R1)")
}

/// Reads an epoch: an integer, and not a number that equals one, as `1.0` does.
pub fn epoch(value: &Value) -> Result<Epoch, Wrong> {
    value.as_u64().and_then(Epoch::new).ok_or("an epoch that is no integer of 0 to 2^53-1 (R2)")
}

/// Reads the number of a question (R50).
pub fn question(value: &Value) -> Result<Question, Wrong> {
    value.as_u64().and_then(Question::new).ok_or("a question that is no integer of 1 to 2^53-1 (R50)")
}

/// Reads the number of a question or 0, which is none.
fn number(value: &Value) -> Result<Option<Question>, Wrong> {
    if value.as_u64() == Some(0) {
        return Ok(None);
    }
    question(value).map(Some)
}

/// Reads an id or none.
fn node(value: Option<&Value>) -> Result<Option<Id>, Wrong> {
    match value.ok_or("a field is missing")? {
        Value::Null => Ok(None),
        value => id(value).map(Some),
    }
}

/// Displays what it holds as JSON, without white space.
pub struct Json<T>(pub T);

impl Display for Json<Option<Id>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(id) => write!(f, "\"{id}\""),
            None => f.write_str("null"),
        }
    }
}

impl Display for Json<Option<Question>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(question) => question.fmt(f),
            None => f.write_str("0"),
        }
    }
}

/// A node, and the latest question that it has answered.
impl Display for Json<(&Id, &Question)> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (node, question) = self.0;
        write!(f, r#"{{"node":"{node}","question":{question}}}"#)
    }
}

impl Display for Json<&Member> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Member { id, kind, rank, address } = self.0;
        write!(f, r#"{{"id":"{id}","kind":"{}""#, kind.name())?;
        if *rank > 0 {
            write!(f, r#","rank":{rank}"#)?;
        }
        if !address.is_empty() {
            write!(f, r#","address":"{address}""#)?; // it has nothing in it to escape
        }
        f.write_str("}")
    }
}

/// The last field of a message, a state and a promise; nothing where members are fixed.
impl Display for Json<Option<&Arc<Configuration>>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(c) = self.0 else { return Ok(()) };
        write!(f, r#","configuration":{{"epoch":{},"version":{},"members":["#, c.epoch(), c.version())?;
        list(f, c.members().iter().map(Json))?;
        f.write_str("]}")
    }
}

impl Display for Json<&Message> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Message { kind, from, to, epoch, question, configuration } = self.0;
        write!(f, r#"{{"type":"{}","from":"{from}","to":"{to}","epoch":{epoch},"question":{question}"#, kind.name())?;
        match kind {
            MessageType::Election { keeps } => write!(f, r#","keeps":{}"#, Json(*keeps))?,
            MessageType::Claim { names: Some(names) } => write!(f, r#","names":"{names}""#)?,
            MessageType::Resign { to: Some(Successor::Granted(Granted { by, epoch, question })) } => {
                write!(f, r#","granted":{{"by":"{by}","epoch":{epoch},"question":{question}}}"#)?;
            }
            MessageType::Resign { to: Some(Successor::Named(Named { id, hold })) } => {
                write!(f, r#","names":"{id}""#)?;
                if *hold > 0 {
                    write!(f, r#","hold":{hold}"#)?;
                }
            }
            _ => {}
        }
        write!(f, "{}}}", Json(configuration.as_ref()))
    }
}

impl Display for Json<&Promise> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Promise { epoch, grantee, reserved, members } = self.0;
        write!(f, r#"{{"epoch":{epoch},"grantee":{},"reserved":{reserved}{}}}"#, Json(*grantee), Json(members.configuration()))
    }
}

impl Display for Json<&State> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let State { leader, lease, epoch, grantee, support, asked, latest, dated, answered, members, .. } = self.0;
        let role = match self.0.role {
            Role::Follower => "follower",
            Role::Candidate => "candidate",
            Role::Electing => "electing",
            Role::Claimant { .. } => "claimant",
            Role::Leader => "leader",
        };
        write!(f, r#"{{"role":"{role}","leader":{},"lease":{},"epoch":{epoch}"#, Json(*leader), Json(*lease))?;
        write!(f, r#","grantee":{},"support":["#, Json(*grantee))?;
        list(f, support.iter().map(|j| Json(Some(*j))))?;
        write!(f, r#"],"asked":{},"latest":{latest}"#, Json(*asked))?;
        if self.0.role == Role::Leader {
            write!(f, r#","dated":{},"answered":["#, Json(*dated))?;
            list(f, answered.iter().map(Json))?;
            f.write_str("]")?;
        }
        write!(f, "{}}}", Json(members.configuration()))
    }
}

impl Display for Json<&Effect> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Effect::Save(promise) => write!(f, r#"{{"save":{}}}"#, Json(promise)),
            Effect::Over(epoch) => write!(f, r#"{{"over":{epoch}}}"#),
            Effect::Cancel(timer) => write!(f, r#"{{"cancel":"{timer}"}}"#),
            Effect::Arm(timer) => write!(f, r#"{{"arm":"{timer}"}}"#),
            Effect::Send(message) => write!(f, r#"{{"send":{}}}"#, Json(message)),
            Effect::Tell(known) => {
                let (leader, epoch) = known.map_or((None, Epoch::ZERO), |(l, e)| (Some(l), e));
                write!(f, r#"{{"tell":{{"leader":{},"epoch":{epoch}}}}}"#, Json(leader))
            }
        }
    }
}

impl Display for Json<&[Effect]> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        list(f, self.0.iter().map(Json))?;
        f.write_str("]")
    }
}

fn list(f: &mut Formatter<'_>, items: impl Iterator<Item = impl Display>) -> fmt::Result {
    for (at, item) in items.enumerate() {
        if at > 0 {
            f.write_str(",")?;
        }
        item.fmt(f)?;
    }
    Ok(())
}
