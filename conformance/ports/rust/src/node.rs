//! One node: its state, the steps that it takes, and what its host must do for each (spec sections 9 to 11).

use crate::bully::{Member, Step};
use crate::id::{Epoch, Id};
use crate::message::{Message, MessageType, Timer};
use crate::state::{Promise, Role, State};
use std::fmt;

/// What a node is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A message that has arrived.
    Message(Message),
    /// A timer that has ended.
    Timer(Timer),
    /// The user asks the node to lead no more (R28).
    Resign,
    /// The host has a proof that the holder of the node's lease is dead (R41, R37).
    HolderDead,
}

/// What the host must do for a step, in the order of the list, which is that of section 10.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Make this durable before anything that follows. If the write fails, stop the node for good (R4).
    Save(Promise),
    /// Tell the user that the reign of this epoch is over (R39).
    Over(Epoch),
    Cancel(Timer),
    /// Set the timer; if it runs, it begins anew.
    Arm(Timer),
    Send(Message),
    /// Whom the users may be told that the node follows, itself if it leads, and in which epoch (R39).
    Tell(Option<(Id, Epoch)>),
}

/// Why an input was no step. The first five are bad input, which a host counts (section 11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// R33: not a message of section 7.
    Malformed(&'static str),
    /// R34: from no other member.
    Stranger,
    /// R34: to another node.
    Misaddressed,
    /// R34: of a type that this version does not know.
    UnknownType,
    /// R35: the timer does not run in this state.
    NotRunning(Timer),
    /// R28: it does not lead. The call succeeds.
    NotLeading,
    /// R41: it keeps no other node's lease. The call succeeds.
    NoHolder,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ignored::Malformed(why) => write!(f, "malformed: {why} (R33)"),
            Ignored::Stranger => f.write_str("the sender is no other member (R34)"),
            Ignored::Misaddressed => f.write_str("the message is for another node (R34)"),
            Ignored::UnknownType => f.write_str("a message of unknown type (R34)"),
            Ignored::NotRunning(timer) => write!(f, "the {timer} timer does not run (R35)"),
            Ignored::NotLeading => f.write_str("a node that does not lead has nothing to resign (R28)"),
            Ignored::NoHolder => f.write_str("the node keeps no lease of another (R41)"),
        }
    }
}

/// A node: the only thing that an embedder keeps. See the crate's documentation for the loop round it.
#[derive(Clone, Debug)]
pub struct Node {
    member: Member,
    state: State,
}

impl Node {
    /// The first start of a node, once in its life (R32).
    pub fn start(member: Member) -> (Node, Vec<Effect>) {
        let state = State::blank();
        // The record is written even though nothing has changed: every later start is then a restart.
        let effects = vec![Effect::Save(state.promise()), Effect::Arm(Timer::Heartbeat)];
        (Node { member, state }, effects)
    }

    /// A start with what the disk has kept (R30).
    pub fn restart(member: Member, disk: Promise) -> (Node, Vec<Effect>) {
        let (state, sent) = member.restarted(disk);
        let mut effects = vec![Effect::Arm(Timer::Coordinator)];
        effects.extend(sent.into_iter().map(Effect::Send));
        (Node { member, state }, effects)
    }

    /// A node in the middle of its life, as a test or a checker puts it together.
    pub fn load(member: Member, state: State) -> Node {
        Node { member, state }
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes one step: the state changes, and the host does the effects, in order. An input that is ignored changes nothing.
    pub fn step(&mut self, input: &Input) -> Result<Vec<Effect>, Ignored> {
        let (after, sent) = self.outcome(input)?;
        let before = std::mem::replace(&mut self.state, after);
        let ended = match input {
            Input::Timer(timer) => Some(*timer),
            _ => None,
        };
        Ok(self.effects(&before, sent, ended))
    }

    fn outcome(&self, input: &Input) -> Result<Step, Ignored> {
        let (member, s) = (&self.member, &self.state);
        match input {
            Input::Message(m) if m.from == member.me() || !member.knows(m.from) => Err(Ignored::Stranger),
            Input::Message(m) if m.to != member.me() => Err(Ignored::Misaddressed),
            Input::Message(m) => Ok(member.heard(s.clone(), m)),
            Input::Timer(timer) if !member.runs(*timer, s) => Err(Ignored::NotRunning(*timer)),
            Input::Timer(timer) => Ok(member.ended(s.clone(), *timer)),
            Input::Resign => member.resigned(s.clone()).ok_or(Ignored::NotLeading),
            Input::HolderDead => member.holder_died(s.clone()).ok_or(Ignored::NoHolder),
        }
    }

    /// Section 10: what there is to do for the step from `before` to the state now.
    fn effects(&self, before: &State, sent: Vec<Message>, ended: Option<Timer>) -> Vec<Effect> {
        let after = &self.state;
        let mut effects = Vec::with_capacity(sent.len() + 4);
        if before.promise() != after.promise() {
            effects.push(Effect::Save(after.promise()));
        }
        if before.role == Role::Leader && after.role != Role::Leader {
            effects.push(Effect::Over(before.epoch));
        }
        for timer in Timer::ALL {
            match (self.member.runs(timer, before), self.member.runs(timer, after)) {
                (true, false) => effects.push(Effect::Cancel(timer)),
                (false, true) => effects.push(Effect::Arm(timer)),
                (true, true) if begins_anew(timer, before, after, &sent, ended) => effects.push(Effect::Arm(timer)),
                _ => {}
            }
        }
        effects.extend(sent.into_iter().map(Effect::Send));
        if before.known() != after.known() {
            effects.push(Effect::Tell(after.known()));
        }
        effects
    }
}

/// R36, its fourth column: whether a timer that runs before and after a step begins anew.
fn begins_anew(timer: Timer, before: &State, after: &State, sent: &[Message], ended: Option<Timer>) -> bool {
    let sends = |kind| sent.iter().any(|m| m.kind == kind);
    match timer {
        Timer::Heartbeat => sends(MessageType::Ack),
        Timer::Preempt => before.leader != after.leader || before.epoch != after.epoch,
        Timer::Coordinator => sends(MessageType::Grant),
        Timer::Quorum | Timer::Beat => ended == Some(timer),
        Timer::Election | Timer::Claim => false,
    }
}
