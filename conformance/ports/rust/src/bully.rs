//! The transition function of one node: spec section 8, rule by rule, and which timers run (R36).
//!
//! Nothing here reads a clock, draws a number or sends anything. A rule takes the state before and gives the state after;
//! what it does not mention stays as it is. Rules that need neither the node's id nor the members are in [`crate::state`].

use crate::id::{Epoch, Id};
use crate::message::{Message, MessageType, Timer};
use crate::state::{Promise, Role, State};
use std::collections::BTreeSet;

/// The state after a step, and what is sent, first sent first.
pub type Step = (State, Vec<Message>);

/// A node's id and the members of its cluster, which never change (R40).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    me: Id,
    members: Vec<Id>,
}

impl Member {
    /// `None` unless the members are ascending, each once, and `me` is among them.
    pub fn new(me: Id, members: Vec<Id>) -> Option<Member> {
        let ascending = members.windows(2).all(|pair| pair[0] < pair[1]);
        (ascending && members.contains(&me)).then_some(Member { me, members })
    }

    pub fn me(&self) -> Id {
        self.me
    }

    pub fn knows(&self, j: Id) -> bool {
        self.members.binary_search(&j).is_ok()
    }

    fn others(&self) -> impl Iterator<Item = Id> + '_ {
        self.members.iter().copied().filter(|j| *j != self.me)
    }

    fn say(&self, kind: MessageType, to: Id, epoch: Epoch) -> Vec<Message> {
        vec![Message { kind, from: self.me, to, epoch }]
    }

    fn say_all(&self, kind: MessageType, epoch: Epoch) -> Vec<Message> {
        self.others().flat_map(|j| self.say(kind, j, epoch)).collect()
    }

    /// R3: its support and itself, which support never holds, are more than half of the members.
    fn is_quorum(&self, s: &State) -> bool {
        2 * (s.support.len() + 1) > self.members.len()
    }

    /// R36: whether the timer runs in that state.
    pub fn runs(&self, timer: Timer, s: &State) -> bool {
        match timer {
            Timer::Heartbeat => s.role == Role::Follower,
            Timer::Preempt => s.role == Role::Follower && s.leader.is_some_and(|l| l < self.me),
            Timer::Election => s.role == Role::Candidate,
            Timer::Coordinator => s.role == Role::Electing,
            Timer::Claim => matches!(s.role, Role::Claimant { .. }),
            Timer::Quorum | Timer::Beat => s.role == Role::Leader,
        }
    }

    /// The end of a timer that runs in s.
    pub fn ended(&self, s: State, timer: Timer) -> Step {
        match timer {
            Timer::Heartbeat => self.ask(s.unbound()), // R8
            Timer::Preempt => self.ask(s),             // R9
            Timer::Election => self.election_ended(s),
            Timer::Coordinator => self.coordinator_ended(s),
            Timer::Claim => (s.rest(), vec![]), // R22
            Timer::Quorum => (self.quorum_ended(s), vec![]),
            Timer::Beat => self.beat_ended(s),
        }
    }

    /// A message from another member, to this node.
    pub fn heard(&self, s: State, m: &Message) -> Step {
        match m.kind {
            MessageType::Election => self.election_heard(s, m),
            MessageType::Ok => (s.ok_heard(m), vec![]),
            MessageType::Assent => self.assent_heard(s, m),
            MessageType::Claim => self.claim_heard(s, m),
            MessageType::Grant => self.grant_heard(s, m),
            MessageType::Refuse => (s.refuse_heard(m), vec![]),
            MessageType::Coordinator | MessageType::Heartbeat => self.reign_heard(s, m),
            MessageType::Ack => (s.ack_heard(m), vec![]),
            MessageType::Resign => self.resign_heard(s, m),
            MessageType::ImBack => self.im_back_heard(s, m),
        }
    }

    /// R8: becomes a candidate, and asks all; the lease is the caller's business.
    fn ask(&self, s: State) -> Step {
        let sent = self.say_all(MessageType::Election, s.epoch);
        (State { role: Role::Candidate, support: BTreeSet::new(), ..s }, sent)
    }

    /// R10, R11: the sender does not lead, and wants to know who would follow it.
    fn election_heard(&self, s: State, m: &Message) -> Step {
        let t = s.release(m.from).learn(m.epoch);
        let lower = m.from < self.me;
        let reply = |kind| self.say(kind, m.from, t.epoch);
        if lower && t.role == Role::Leader {
            let sent = [reply(MessageType::Ok), reply(MessageType::Coordinator)].concat();
            return (t, sent);
        }
        match (t.may_support(m.from), lower) {
            (false, _) => {
                let sent = reply(MessageType::Refuse);
                (t, sent)
            }
            (true, true) => self.have_in_hand(reply(MessageType::Ok), t),
            (true, false) => {
                let sent = reply(MessageType::Assent);
                (t.give_way(), sent)
            }
        }
    }

    /// R10: who was idle stands itself, after its OK to the lower node.
    fn have_in_hand(&self, ok: Vec<Message>, s: State) -> Step {
        if !s.is_idle() {
            return (s, ok);
        }
        let (t, asked) = self.ask(s);
        (t, [ok, asked].concat())
    }

    /// R13: nobody can say OK to the highest member, so it does not wait for T_elec.
    fn assent_heard(&self, s: State, m: &Message) -> Step {
        let t = s.learn(m.epoch);
        if !matches!(t.role, Role::Candidate | Role::Electing) {
            return (t, vec![]);
        }
        let u = t.backed_by(m.from);
        match self.may_claim(&u) {
            Some(e) if u.role == Role::Candidate && self.members.last() == Some(&self.me) => self.claim(u, e),
            _ => (u, vec![]),
        }
    }

    /// R14: the epoch that it may claim now, if any.
    fn may_claim(&self, s: &State) -> Option<Epoch> {
        s.epoch.next().filter(|_| self.is_quorum(s))
    }

    /// R14: T_elec ends.
    fn election_ended(&self, s: State) -> Step {
        match self.may_claim(&s) {
            Some(e) => self.claim(s, e),
            None => (s.rest(), vec![]),
        }
    }

    /// R15: T_coord ends.
    fn coordinator_ended(&self, s: State) -> Step {
        match self.may_claim(&s) {
            Some(e) => self.claim(s.unbound(), e),
            None => self.ask(s.unbound()),
        }
    }

    /// R16: claims e; nothing of it goes to disk before it is won.
    fn claim(&self, s: State, e: Epoch) -> Step {
        let t = State { role: Role::Claimant { claims: e }, support: BTreeSet::new(), ..s };
        if self.may_win(&t) {
            return self.win(e);
        }
        (t, self.say_all(MessageType::Claim, e))
    }

    /// R17, R18: a leader hands over to a higher node only; others grant if neither lease nor promise forbids it.
    fn claim_heard(&self, s: State, m: &Message) -> Step {
        let leads = s.role == Role::Leader;
        let grants = if leads { m.from > self.me && m.epoch > s.epoch } else { s.may_grant(m.from, m.epoch) && !s.shields(m.from) };
        if !grants {
            let sent = self.say(MessageType::Refuse, m.from, s.epoch);
            return (s, sent);
        }
        let mut sent = self.say(MessageType::Grant, m.from, m.epoch);
        if leads {
            sent.extend(self.say_all(MessageType::Resign, s.epoch));
        }
        (State::new(Role::Electing, Some(m.from), m.epoch, Some(m.from)), sent)
    }

    /// R19: a GRANT counts for the epoch that is claimed, and for no other.
    fn grant_heard(&self, s: State, m: &Message) -> Step {
        if s.role != (Role::Claimant { claims: m.epoch }) {
            return (s.learn(m.epoch), vec![]);
        }
        let t = s.release(m.from).backed_by(m.from);
        if self.may_win(&t) {
            return self.win(m.epoch);
        }
        (t, vec![])
    }

    /// R20: a quorum is not enough; while it keeps a lease somebody may still act.
    fn may_win(&self, s: &State) -> bool {
        self.is_quorum(s) && s.leader.is_none()
    }

    /// R20: promises e to itself, and leads it.
    fn win(&self, e: Epoch) -> Step {
        let me = Some(self.me);
        (State::new(Role::Leader, me, e, me), self.say_all(MessageType::Coordinator, e))
    }

    /// R23, R24: COORDINATOR and HEARTBEAT.
    fn reign_heard(&self, s: State, m: &Message) -> Step {
        if m.epoch < s.epoch {
            let sent = self.say(MessageType::Refuse, m.from, s.epoch);
            return (s, sent);
        }
        let stands = matches!(s.role, Role::Candidate | Role::Claimant { .. });
        let preempts = stands && s.leader == Some(m.from) && s.epoch == m.epoch;
        let ack = self.say(MessageType::Ack, m.from, m.epoch);
        if preempts {
            return (s, ack);
        }
        let grantee = s.grantee.filter(|_| m.epoch == s.epoch).or(Some(m.from));
        (State::new(Role::Follower, Some(m.from), m.epoch, grantee), ack)
    }

    /// R26: the leader's check that it still has a quorum.
    fn quorum_ended(&self, s: State) -> State {
        if self.is_quorum(&s) {
            return State { support: BTreeSet::new(), ..s };
        }
        s.unbound().rest()
    }

    /// R27: a beat.
    fn beat_ended(&self, s: State) -> Step {
        let sent = self.say_all(MessageType::Heartbeat, s.epoch);
        (s, sent)
    }

    /// R28: only a leader can resign; of any other node this is no step.
    pub fn resigned(&self, s: State) -> Option<Step> {
        let sent = self.say_all(MessageType::Resign, s.epoch);
        (s.role == Role::Leader).then(|| (s.unbound().rest(), sent))
    }

    /// R29: who claims asks again those who have not granted yet: the sender's lease may have kept them from it.
    fn resign_heard(&self, s: State, m: &Message) -> Step {
        let t = s.release(m.from);
        let Role::Claimant { claims } = t.role else {
            return (t, vec![]);
        };
        if self.may_win(&t) {
            return self.win(claims);
        }
        let mut sent = self.say_all(MessageType::Claim, claims);
        sent.retain(|claim| !t.support.contains(&claim.to));
        (t, sent)
    }

    /// R30: keeps silent with its own lease, as it has forgotten whose it kept.
    pub fn restarted(&self, disk: Promise) -> Step {
        let s = State::new(Role::Electing, Some(self.me), disk.epoch, disk.grantee);
        (s, self.say_all(MessageType::ImBack, disk.epoch))
    }

    /// R31: a leader tells the one who is back.
    fn im_back_heard(&self, s: State, m: &Message) -> Step {
        let t = s.release(m.from).learn(m.epoch);
        let leads = t.role == Role::Leader;
        let sent = self.say(MessageType::Coordinator, m.from, t.epoch);
        (t, if leads { sent } else { vec![] })
    }

    /// R41: the holder of its lease is dead; no step if it keeps none, or its own.
    pub fn holder_died(&self, s: State) -> Option<Step> {
        let holder = s.leader.filter(|l| *l != self.me)?;
        Some((s.release(holder), vec![]))
    }
}
