//! JSON, read strictly and written in the order of the specification (sections 7 and 14).
//!
//! Reading starts from a [`Value`], which has forgotten a field that was given twice, and escapes. Who reads messages from
//! a wire, and not from a program that has read them already, must refuse these first (R33).

use crate::bully::Member;
use crate::id::{Epoch, Id};
use crate::message::{Message, MessageType};
use crate::node::{Effect, Ignored};
use crate::state::{Promise, Role, State};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// What is wrong with a value that is not of its form.
pub type Wrong = &'static str;

/// Reads a message, and refuses what is not exactly one (R33).
pub fn message(value: &Value) -> Result<Message, Ignored> {
    let fields = object(value).map_err(Ignored::Malformed)?;
    if fields.len() != 4 {
        return Err(Ignored::Malformed("a field is missing or unknown"));
    }
    let field = |name| fields.get(name).ok_or(Ignored::Malformed("a field is missing or unknown"));
    let name = field("type")?.as_str().ok_or(Ignored::Malformed("the type is no string"))?;
    let from = id(field("from")?).map_err(Ignored::Malformed)?;
    let to = id(field("to")?).map_err(Ignored::Malformed)?;
    let epoch = epoch(field("epoch")?).map_err(Ignored::Malformed)?;
    if from == to {
        return Err(Ignored::Malformed("the sender is the receiver"));
    }
    let kind = MessageType::named(name).ok_or(Ignored::UnknownType)?;
    Ok(Message { kind, from, to, epoch })
}

/// Reads the id of a node and the members that it is one of.
pub fn member(me: &Value, members: &Value) -> Result<Member, Wrong> {
    let members = members.as_array().ok_or("the members are no list")?;
    let members = members.iter().map(id).collect::<Result<_, _>>()?;
    Member::new(id(me)?, members).ok_or("the members are not ascending, or the node is none of them")
}

/// Reads what a disk has kept.
pub fn promise(value: &Value, member: &Member) -> Result<Promise, Wrong> {
    let fields = object(value)?;
    Ok(Promise { epoch: epoch(fields.get("epoch").unwrap_or(&Value::Null))?, grantee: known(fields.get("grantee"), member)? })
}

/// Reads a whole state.
pub fn state(value: &Value, member: &Member) -> Result<State, Wrong> {
    let fields = object(value)?;
    let epoch = epoch(fields.get("epoch").unwrap_or(&Value::Null))?;
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
    if support.len() < list.len() || support.iter().any(|j| *j == member.me() || !member.knows(*j)) {
        return Err("the support is not of other members, each once");
    }
    Ok(State { role, leader: known(fields.get("leader"), member)?, epoch, grantee: known(fields.get("grantee"), member)?, support })
}

fn object(value: &Value) -> Result<&Map<String, Value>, Wrong> {
    value.as_object().ok_or("not an object")
}

fn id(value: &Value) -> Result<Id, Wrong> {
    value.as_str().and_then(|text| text.parse().ok()).ok_or("an id that is none (R1)")
}

/// Reads an epoch: an integer, and not a number that equals one, as `1.0` does.
pub fn epoch(value: &Value) -> Result<Epoch, Wrong> {
    value.as_u64().and_then(Epoch::new).ok_or("an epoch that is no integer of 0 to 2^53-1 (R2)")
}

/// Reads a member or none.
fn known(value: Option<&Value>, member: &Member) -> Result<Option<Id>, Wrong> {
    match value.ok_or("a field is missing")? {
        Value::Null => Ok(None),
        value => id(value).and_then(|j| member.knows(j).then_some(Some(j)).ok_or("no member")),
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

impl Display for Json<&Message> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Message { kind, from, to, epoch } = self.0;
        write!(f, r#"{{"type":"{}","from":"{from}","to":"{to}","epoch":{epoch}}}"#, kind.name())
    }
}

impl Display for Json<Promise> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, r#"{{"epoch":{},"grantee":{}}}"#, self.0.epoch, Json(self.0.grantee))
    }
}

impl Display for Json<&State> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let State { role, leader, epoch, grantee, support } = self.0;
        let role = match role {
            Role::Follower => "follower",
            Role::Candidate => "candidate",
            Role::Electing => "electing",
            Role::Claimant { .. } => "claimant",
            Role::Leader => "leader",
        };
        write!(f, r#"{{"role":"{role}","leader":{},"epoch":{epoch},"grantee":{},"support":["#, Json(*leader), Json(*grantee))?;
        list(f, support.iter().map(|j| Json(Some(*j))))?;
        f.write_str("]}")
    }
}

impl Display for Json<&Effect> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Effect::Save(promise) => write!(f, r#"{{"save":{}}}"#, Json(*promise)),
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
