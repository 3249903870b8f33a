//! The transition function of one node: spec section 8, rule by rule, and which timers run (R36).
//!
//! Nothing here reads a clock, draws a number or sends anything. A rule takes the state before and gives the state after;
//! what it does not mention stays as it is. Rules that need not know whose state it is are in [`crate::state`].
//!
//! A rule asks the [`Members`](crate::configuration::Members) of the state who votes, who may lead and who outranks whom.
//! Where they are fixed (R40) all do, and the higher id. What there is only where they change
//! is in [`crate::changing`].

use crate::id::{Epoch, Id};
use crate::message::{Message, MessageType, Timer};
use crate::state::{Promise, Role, State};
use std::collections::BTreeSet;

/// The state after a step, and what is sent, first sent first.
pub type Step = (State, Vec<Message>);

/// The rules, as the node of this id follows them.
#[derive(Clone, Debug)]
pub struct Rules {
    pub me: Id,
}

impl Rules {
    pub(crate) fn say(&self, kind: MessageType, to: Id, epoch: Epoch) -> Vec<Message> {
        vec![Message { kind, from: self.me, to, epoch, configuration: None }] // which is put in last (R43)
    }

    /// One message to each of these but itself; they are ascending, and so is what is sent.
    pub(crate) fn say_to(&self, nodes: Vec<Id>, kind: MessageType, epoch: Epoch) -> Vec<Message> {
        nodes.into_iter().filter(|j| *j != self.me).flat_map(|j| self.say(kind, j, epoch)).collect()
    }

    /// R3: its support and itself are more than half of the electors.
    pub(crate) fn is_quorum(&self, s: &State) -> bool {
        let electors = s.members.electors();
        let backing = electors.iter().filter(|j| **j == self.me || s.support.contains(j)).count();
        2 * backing > electors.len()
    }

    /// R36: whether the timer runs in that state.
    pub fn runs(&self, timer: Timer, s: &State) -> bool {
        match timer {
            Timer::Patience => s.role == Role::Follower && (s.members.contains(self.me) || s.leader.is_some()),
            Timer::Preempt => s.role == Role::Follower && s.leader.is_some_and(|l| self.pre_empts(s, l)),
            Timer::Election => s.role == Role::Candidate,
            Timer::Coordinator => s.role == Role::Electing,
            Timer::Claim => matches!(s.role, Role::Claimant { .. }),
            Timer::Reign | Timer::Heartbeat => s.role == Role::Leader,
        }
    }

    /// R9: its leader should not lead while it runs itself.
    fn pre_empts(&self, s: &State, leader: Id) -> bool {
        s.members.is_voter(self.me) && s.members.outranks(self.me, leader)
    }

    /// The end of a timer that runs in s.
    pub fn ended(&self, s: State, timer: Timer) -> Step {
        match timer {
            Timer::Patience => self.ask_or_say(s.unbound()), // R8
            Timer::Preempt => self.ask(s),                    // R9
            Timer::Election => self.election_ended(s),
            Timer::Coordinator => self.coordinator_ended(s),
            Timer::Claim => (s.rest(), vec![]), // R22
            Timer::Reign => (self.reign_ended(s), vec![]),
            Timer::Heartbeat => self.heartbeat_ended(s),
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

    /// R8: becomes a candidate, and asks all who vote; the lease is the caller's business.
    pub(crate) fn ask(&self, s: State) -> Step {
        let sent = self.say_to(s.members.electors(), MessageType::Election, s.epoch);
        (State { role: Role::Candidate, support: BTreeSet::new(), ..s }, sent)
    }

    /// R10, R11: the sender does not lead, and wants to know who would follow it.
    fn election_heard(&self, s: State, m: &Message) -> Step {
        let t = s.release(m.from).learn(m.epoch);
        let lower = !t.members.outranks(m.from, self.me);
        let reply = |kind| self.say(kind, m.from, t.epoch);
        if lower && t.role == Role::Leader {
            let sent = [reply(MessageType::Ok), reply(MessageType::Coordinator)].concat();
            return (t, sent);
        }
        match (self.may_support(&t, m), lower) {
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

    /// R10: it would grant a claim of the sender.
    fn may_support(&self, s: &State, m: &Message) -> bool {
        self.may_vote(s, m) && s.is_free_for(m.from)
    }

    /// R45: it votes, the sender may lead, and both mean the same configuration. Fixed members always may.
    fn may_vote(&self, s: &State, m: &Message) -> bool {
        s.members.is_elector(self.me) && s.members.is_voter(m.from) && s.counts(m)
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
        if !matches!(t.role, Role::Candidate | Role::Electing) || !t.counts(m) {
            return (t, vec![]);
        }
        let u = t.backed_by(m.from);
        match self.may_claim(&u) {
            Some(e) if u.role == Role::Candidate && u.members.highest() == Some(self.me) => self.claim(u, e),
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
            Some(e) if s.members.is_voter(self.me) => self.claim(s.unbound(), e),
            _ => self.ask_or_say(s.unbound()),
        }
    }

    /// R16: claims e; nothing of it goes to disk before it is won.
    fn claim(&self, s: State, e: Epoch) -> Step {
        let t = State { role: Role::Claimant { claims: e }, support: BTreeSet::new(), ..s };
        if self.may_win(&t) {
            return self.win(t, e);
        }
        let sent = self.say_to(t.members.electors(), MessageType::Claim, e);
        (t, sent)
    }

    /// R17, R18: a leader hands over to a higher node only; others grant if neither lease nor promise forbids it.
    fn claim_heard(&self, s: State, m: &Message) -> Step {
        let leads = s.role == Role::Leader;
        let hands_over = s.members.outranks(m.from, self.me) && m.epoch > s.epoch;
        let grants = if leads { hands_over } else { s.may_grant(m.from, m.epoch) && !s.shields(m.from) };
        if !grants || !self.may_vote(&s, m) {
            let sent = self.say(MessageType::Refuse, m.from, s.epoch);
            return (s, sent);
        }
        let mut sent = self.say(MessageType::Grant, m.from, m.epoch);
        if leads {
            sent.extend(self.say_to(s.members.all(), MessageType::Resign, s.epoch));
        }
        (s.becomes(Role::Electing, Some(m.from), m.epoch, Some(m.from)), sent)
    }

    /// R19: a GRANT counts for the epoch that is claimed, and for no other.
    fn grant_heard(&self, s: State, m: &Message) -> Step {
        if s.role != (Role::Claimant { claims: m.epoch }) || !s.counts(m) {
            return (s.learn(m.epoch), vec![]);
        }
        let t = s.release(m.from).backed_by(m.from);
        if self.may_win(&t) {
            return self.win(t, m.epoch);
        }
        (t, vec![])
    }

    /// R20: a quorum is not enough; while it keeps a lease somebody may still act.
    fn may_win(&self, s: &State) -> bool {
        self.is_quorum(s) && s.leader.is_none()
    }

    /// R20: promises e to itself, and leads it; R48: its configuration is of e too.
    fn win(&self, s: State, e: Epoch) -> Step {
        let me = Some(self.me);
        let sent = self.say_to(s.members.all(), MessageType::Coordinator, e);
        let members = s.members.clone().stamped(e);
        (State { members, ..s.becomes(Role::Leader, me, e, me) }, sent)
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
        (s.becomes(Role::Follower, Some(m.from), m.epoch, grantee), ack)
    }

    /// R26: the leader's check that it still has a quorum.
    fn reign_ended(&self, s: State) -> State {
        if self.is_quorum(&s) {
            return State { support: BTreeSet::new(), ..s };
        }
        s.unbound().rest()
    }

    /// R27: a heartbeat.
    fn heartbeat_ended(&self, s: State) -> Step {
        let sent = self.say_to(s.members.all(), MessageType::Heartbeat, s.epoch);
        (s, sent)
    }

    /// R28: only a leader can resign; of any other node this is no step.
    pub fn resigned(&self, s: State) -> Option<Step> {
        let sent = self.say_to(s.members.all(), MessageType::Resign, s.epoch);
        (s.role == Role::Leader).then(|| (s.unbound().rest(), sent))
    }

    /// R29: who claims asks again those who have not granted yet: the sender's lease may have kept them from it.
    fn resign_heard(&self, s: State, m: &Message) -> Step {
        let t = s.release(m.from);
        let Role::Claimant { claims } = t.role else {
            return (t, vec![]);
        };
        if self.may_win(&t) {
            return self.win(t, claims);
        }
        let mut sent = self.say_to(t.members.electors(), MessageType::Claim, claims);
        sent.retain(|claim| !t.support.contains(&claim.to));
        (t, sent)
    }

    /// R30: keeps silent with its own lease, as it has forgotten whose it kept.
    pub fn restarted(&self, disk: Promise) -> Step {
        let s = State::blank(disk.members).becomes(Role::Electing, Some(self.me), disk.epoch, disk.grantee);
        let sent = self.say_to(s.members.all(), MessageType::ImBack, s.epoch);
        (s, sent)
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
