//! One node: its state, the steps that it takes, and what its host must do for each (spec sections 9 to 11).

use crate::bully::{Rules, Step};
use crate::configuration::{Configuration, Members};
use crate::id::{Epoch, Id};
use crate::message::{Message, MessageType, Named, Timer};
use crate::state::{Promise, Role, State};
use std::fmt;
use std::sync::Arc;

/// What a node is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A message that has arrived.
    Message(Message),
    /// A timer that has ended.
    Timer(Timer),
    /// The user asks the node to lead no more (R28), and perhaps to name who is to stand first (R51).
    Resign(Option<Named>),
    /// The host has a proof that the holder of the node's lease is dead (R41, R37).
    HolderDead,
    /// The user asks the leader for other members (R47).
    Change(Arc<Configuration>),
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

/// Why an input was no step. The first six are bad input, which a host counts (section 11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// R33: not a message of section 7.
    Malformed(&'static str),
    /// R34: from no other member.
    NonMember,
    /// R34: to another node.
    Misaddressed,
    /// R34: with a configuration where members are fixed, or without one where they change.
    OtherSort,
    /// R34: of a type that this version does not know.
    UnknownType,
    /// R35: the timer does not run in this state.
    NotRunning(Timer),
    /// R28: it does not lead. The call succeeds.
    NotLeading,
    /// R51: who is named is no other voter, or the time is none.
    NotNamed,
    /// R41: it keeps no other node's lease. The call succeeds.
    NoHolder,
    /// R47: it does not lead, the members that it has are not settled, or those asked for are not one change away.
    NoChange,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ignored::Malformed(why) => write!(f, "malformed: {why} (R33)"),
            Ignored::NonMember => f.write_str("the sender is no other member (R34)"),
            Ignored::Misaddressed => f.write_str("the message is for another node (R34)"),
            Ignored::OtherSort => f.write_str("the message is of a cluster of the other sort, of fixed or of changing members (R34)"),
            Ignored::UnknownType => f.write_str("a message of unknown type (R34)"),
            Ignored::NotRunning(timer) => write!(f, "the {timer} timer does not run (R35)"),
            Ignored::NotLeading => f.write_str("a node that does not lead has nothing to resign (R28)"),
            Ignored::NotNamed => f.write_str("who is named is no other voter, or the hold is none (R51)"),
            Ignored::NoHolder => f.write_str("the node keeps no lease of another (R41)"),
            Ignored::NoChange => f.write_str("the node does not lead, or may not change to that now (R47)"),
        }
    }
}

/// Why a start was refused: the host must not start that node with what it has given (R32, R40, R49).
pub type Refusal = &'static str;

/// A node: the only thing that an embedder keeps. See the crate's documentation for the loop round it.
#[derive(Clone, Debug)]
pub struct Node {
    rules: Rules,
    state: State,
}

impl Node {
    /// The first start of a node, once in its life (R32), among fixed members or with the first of changing ones (R49).
    pub fn start(me: Id, members: Members) -> Result<(Node, Vec<Effect>), Refusal> {
        if let Members::Changing(c) = &members {
            let one_of_the_first = c.version() == 1 && c.epoch() == Epoch::ZERO && members.contains(me);
            if !one_of_the_first && !c.members().is_empty() {
                return Err("a first configuration has version 1, epoch 0 and the node in it, or is empty (R49)");
            }
        }
        let node = Node::load(me, State::blank(members))?;
        // The record is written even though nothing has changed: every later start is then a restart.
        let mut effects = vec![Effect::Save(node.state.promise())];
        if node.rules.runs(Timer::Patience, &node.state) {
            effects.push(Effect::Arm(Timer::Patience));
        }
        Ok((node, effects))
    }

    /// A start with what the disk has kept (R30).
    pub fn restart(me: Id, disk: Promise) -> Result<(Node, Vec<Effect>), Refusal> {
        let (state, mut sent) = Rules { me }.restarted(disk);
        let node = Node::load(me, state)?;
        seal(&mut sent, &node.state);
        // A life reserves numbers of its own, and so each restart writes (R50).
        let mut effects = vec![Effect::Save(node.state.promise()), Effect::Arm(Timer::Coordinator)];
        effects.extend(sent.into_iter().map(Effect::Send));
        Ok((node, effects))
    }

    /// A node in the middle of its life, as a test or a checker puts it together.
    pub fn load(me: Id, state: State) -> Result<Node, Refusal> {
        state.check(me)?;
        Ok(Node { rules: Rules { me }, state })
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes one step: the state changes, and the host does the effects, in order. An input that is ignored changes nothing.
    pub fn step(&mut self, input: &Input) -> Result<Vec<Effect>, Ignored> {
        let (after, mut sent) = self.outcome(input)?;
        seal(&mut sent, &after);
        let before = std::mem::replace(&mut self.state, after);
        Ok(self.effects(&before, sent, input))
    }

    fn outcome(&self, input: &Input) -> Result<Step, Ignored> {
        let (rules, s) = (&self.rules, self.state.clone());
        match input {
            Input::Message(m) => self.heard(s, m),
            Input::Timer(timer) if !rules.runs(*timer, &s) => Err(Ignored::NotRunning(*timer)),
            Input::Timer(timer) => Ok(rules.ended(s, *timer)),
            Input::Resign(Some(named)) if s.role == Role::Leader && !rules.may_name(&s, *named) => Err(Ignored::NotNamed),
            Input::Resign(named) => rules.resigned(s, *named).ok_or(Ignored::NotLeading),
            Input::HolderDead => rules.holder_died(s).ok_or(Ignored::NoHolder),
            Input::Change(c) => rules.changed(s, c).ok_or(Ignored::NoChange),
        }
    }

    /// R34. Who is a non-member goes by the members where they are fixed; where they change R44 says what is done.
    fn heard(&self, s: State, m: &Message) -> Result<Step, Ignored> {
        match (&self.state.members, &m.configuration) {
            _ if m.from == self.rules.me => Err(Ignored::NonMember),
            (members @ Members::Fixed(_), None) if !members.contains(m.from) => Err(Ignored::NonMember),
            _ if m.to != self.rules.me => Err(Ignored::Misaddressed),
            (Members::Fixed(_), None) => Ok(self.rules.heard(s, m)),
            (Members::Changing(own), Some(theirs)) => Ok(self.rules.heard_with(s, m, own, theirs)),
            (Members::Fixed(_), Some(_)) | (Members::Changing(_), None) => Err(Ignored::OtherSort),
        }
    }

    /// Section 10: what there is to do for the step from `before` to the state now.
    fn effects(&self, before: &State, sent: Vec<Message>, input: &Input) -> Vec<Effect> {
        let after = &self.state;
        let mut effects = Vec::with_capacity(sent.len() + 4);
        if before.promise() != after.promise() {
            effects.push(Effect::Save(after.promise()));
        }
        if before.role == Role::Leader && after.role != Role::Leader {
            effects.push(Effect::Over(before.epoch));
        }
        for timer in Timer::ALL {
            match (self.rules.runs(timer, before), self.rules.runs(timer, after)) {
                (true, false) => effects.push(Effect::Cancel(timer)),
                (false, true) => effects.push(Effect::Arm(timer)),
                (true, true) if begins_anew(timer, before, after, &sent, input) => effects.push(Effect::Arm(timer)),
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

/// R43: what is sent carries the configuration after the step; nothing where members are fixed.
fn seal(sent: &mut [Message], after: &State) {
    for message in sent {
        message.configuration = after.members.configuration().cloned();
    }
}

/// R36, its fourth column: whether a timer that runs before and after a step begins anew.
fn begins_anew(timer: Timer, before: &State, after: &State, sent: &[Message], input: &Input) -> bool {
    let sends = |kind| sent.iter().any(|m| m.kind == kind);
    let ended = *input == Input::Timer(timer);
    let renewed = before.leader != after.leader || after.lease > before.lease;
    match timer {
        Timer::Patience => (renewed && sends(MessageType::Ack)) || ended, // who does not stand waits again (R46)
        Timer::Preempt => before.leader != after.leader || before.epoch != after.epoch,
        Timer::Coordinator => renewed && sends(MessageType::Grant),
        Timer::Reign => before.dated != after.dated,
        Timer::Heartbeat => ended || matches!(input, Input::Change(_)), // R47
        Timer::Election | Timer::Claim => false,
    }
}
