//! The transition function of one node: spec section 8, rule by rule, and which timers run (R36).
//!
//! Nothing here reads a clock, draws a number or sends anything. A rule takes the state before and gives the state after;
//! what it does not mention stays as it is. Rules that need not know whose state it is are in [`crate::state`].
//!
//! A rule asks the [`Members`](crate::configuration::Members) of the state who votes, who may lead and who outranks whom.
//! Where they are fixed (R40) all do, and the higher id. What there is only where they change
//! is in [`crate::changing`].

use crate::id::{Epoch, Id, Question};
use crate::message::{Granted, Message, MessageType, Named, Successor, Timer};
use crate::state::{Promise, Role, State};

/// The state after a step, and what is sent, first sent first.
pub type Step = (State, Vec<Message>);

/// The rules, as the node of this id follows them.
#[derive(Clone, Debug)]
pub struct Rules {
    pub me: Id,
}

impl Rules {
    fn say(&self, kind: MessageType, to: Id, epoch: Epoch, question: Question) -> Vec<Message> {
        vec![Message { kind, from: self.me, to, epoch, question, configuration: None }]
        // which is put in last (R43)
    }

    /// R50: an answer says which question it answers.
    pub(crate) fn answer(&self, m: &Message, kind: MessageType, epoch: Epoch) -> Vec<Message> {
        self.say(kind, m.from, epoch, m.question)
    }

    /// One message to each of these but itself; they are ascending, and so is what is sent.
    pub(crate) fn say_to(&self, nodes: Vec<Id>, kind: MessageType, epoch: Epoch, question: Question) -> Vec<Message> {
        nodes.into_iter().filter(|j| *j != self.me).flat_map(|j| self.say(kind, j, epoch, question)).collect()
    }

    /// R3: its support and itself are more than half of the electors.
    pub(crate) fn is_quorum(&self, s: &State) -> bool {
        self.are_quorum(s, |j| s.support.contains(&j))
    }

    /// R3: those who back it, and itself, are more than half of the electors.
    fn are_quorum(&self, s: &State, backs: impl Fn(Id) -> bool) -> bool {
        let electors = s.members.electors();
        let backing = electors.iter().filter(|j| **j == self.me || backs(**j)).count();
        2 * backing > electors.len()
    }

    /// R7: who keeps the lease of another does not learn from what binds nobody.
    fn learn_if_free(&self, s: State, e: Epoch) -> State {
        if s.shields(self.me) {
            return s;
        }
        s.learn(e)
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
            Timer::Preempt => self.ask(s),                   // R9
            Timer::Election => self.election_ended(s),
            Timer::Coordinator => self.coordinator_ended(s),
            Timer::Claim => (s.rest(), vec![]),           // R22
            Timer::Reign => (s.unbound().rest(), vec![]), // R26
            Timer::Heartbeat => self.heartbeat_ended(s),
        }
    }

    /// A message from another member, to this node.
    pub fn heard(&self, s: State, m: &Message) -> Step {
        match m.kind {
            MessageType::Election { keeps } => self.election_heard(s, m, keeps),
            MessageType::Ok => (self.ok_heard(s, m), vec![]),
            MessageType::Assent => self.assent_heard(s, m),
            MessageType::Claim { names } => self.claim_heard(if self.has_ended(&s, m, names) { s.freed() } else { s }, m),
            MessageType::Grant => self.grant_heard(s, m),
            MessageType::Refuse => (self.refuse_heard(s, m), vec![]),
            MessageType::Coordinator | MessageType::Heartbeat => self.reign_heard(s, m),
            MessageType::Ack => (self.ack_heard(s, m), vec![]),
            MessageType::Resign { to } => self.resign_heard(s, m, to),
            MessageType::ImBack => self.im_back_heard(s, m),
        }
    }

    /// R8: becomes a candidate, and asks all who vote; the lease is the caller's business.
    pub(crate) fn ask(&self, s: State) -> Step {
        let t = s.asks(Role::Candidate);
        let kind = MessageType::Election { keeps: t.leader };
        let sent = self.say_to(t.members.electors(), kind, t.epoch, t.latest);
        (t, sent)
    }

    /// R10, R11: the sender does not lead, and wants to know who would follow it.
    fn election_heard(&self, s: State, m: &Message, keeps: Option<Id>) -> Step {
        let t = self.learn_if_free(s.release(m), m.epoch);
        let lower = !t.members.outranks(m.from, self.me);
        let reply = |kind| self.answer(m, kind, t.epoch);
        if lower && t.role == Role::Leader {
            let told = self.say(MessageType::Coordinator, m.from, t.epoch, t.latest);
            let sent = [reply(MessageType::Ok), told].concat();
            return (t, sent);
        }
        match (self.may_support(&t, m, keeps), lower) {
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

    /// R10: it would grant a claim of the sender, who keeps that lease.
    fn may_support(&self, s: &State, m: &Message, keeps: Option<Id>) -> bool {
        let pre_empted = |l| s.members.outranks(m.from, l) && s.role != Role::Electing && keeps == Some(l);
        self.may_vote(s, m) && s.leader.is_none_or(|l| l == m.from || pre_empted(l))
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

    /// R12: somebody better has it in hand.
    fn ok_heard(&self, s: State, m: &Message) -> State {
        let t = self.learn_if_free(s, m.epoch);
        if t.awaits(m) {
            return State { role: Role::Electing, ..t.backed_by(m.from) };
        }
        t
    }

    /// R13: nobody can say OK to the highest member, so it does not wait for T_elec.
    fn assent_heard(&self, s: State, m: &Message) -> Step {
        let t = self.learn_if_free(s, m.epoch);
        if !t.awaits(m) {
            return (t, vec![]);
        }
        let u = t.backed_by(m.from);
        match self.may_claim(&u) {
            Some(e) if u.role == Role::Candidate && u.members.highest() == Some(self.me) => self.claim(u, e, None),
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
            Some(e) => self.claim(s, e, None),
            None => (s.rest(), vec![]),
        }
    }

    /// R15: T_coord ends.
    fn coordinator_ended(&self, s: State) -> Step {
        match self.may_claim(&s) {
            Some(e) if s.members.is_voter(self.me) => self.claim(s.unbound(), e, None),
            _ => self.ask_or_say(s.unbound()),
        }
    }

    /// R16: claims e; nothing of it goes to disk before it is won. R51: who was named says by whom.
    fn claim(&self, s: State, e: Epoch, names: Option<Id>) -> Step {
        let t = s.asks(Role::Claimant { claims: e });
        if self.may_win(&t) {
            return self.win(t, e);
        }
        let sent = self.say_to(t.members.electors(), MessageType::Claim { names }, e, t.latest);
        (t, sent)
    }

    /// R17, R18: a leader hands over to a higher node only; others grant if neither lease, promise nor a claim of its own forbids it.
    fn claim_heard(&self, s: State, m: &Message) -> Step {
        let leads = s.role == Role::Leader;
        let hands_over = s.members.outranks(m.from, self.me) && m.epoch > s.epoch;
        let grants = s.may_grant(m.from, m.epoch) && !s.shields(m.from) && !self.rivals(&s, m);
        if !(if leads { hands_over } else { grants }) || !self.may_vote(&s, m) {
            let sent = self.answer(m, MessageType::Refuse, s.epoch);
            return (s, sent);
        }
        let mut sent = self.answer(m, MessageType::Grant, m.epoch);
        if leads {
            let to = Some(Successor::Granted(Granted { by: m.from, epoch: m.epoch, question: m.question }));
            sent.extend(self.say_to(s.members.all(), MessageType::Resign { to }, s.epoch, s.latest));
        }
        let t = s.becomes(Role::Electing).bound(m);
        (State { epoch: m.epoch, grantee: Some(m.from), ..t }, sent)
    }

    /// R51: its lease is one of the reign in which the sender of a CLAIM was named, or of an earlier one.
    fn has_ended(&self, s: &State, m: &Message, names: Option<Id>) -> bool {
        names.is_some_and(|l| l != self.me && s.leader == Some(l)) && s.epoch < m.epoch
    }

    /// R17: of two that claim an epoch the better goes on.
    fn rivals(&self, s: &State, m: &Message) -> bool {
        matches!(s.role, Role::Claimant { claims } if m.epoch <= claims) && !s.members.outranks(m.from, self.me)
    }

    /// R19: a GRANT counts for the claim that is made now, and for no other.
    fn grant_heard(&self, s: State, m: &Message) -> Step {
        if s.role != (Role::Claimant { claims: m.epoch }) || !s.is_asked(m) {
            return (self.learn_if_free(s, m.epoch), vec![]);
        }
        let t = if s.leader == Some(m.from) { s.unbound() } else { s }.backed_by(m.from);
        if self.may_win(&t) {
            return self.win(t, m.epoch);
        }
        (t, vec![])
    }

    /// R20: a quorum is not enough; while it keeps a lease somebody may still act.
    fn may_win(&self, s: &State) -> bool {
        self.is_quorum(s) && s.leader.is_none()
    }

    /// R20: promises e to itself, and leads it; R48: its configuration is of e too. The reign is dated from the CLAIM.
    fn win(&self, s: State, e: Epoch) -> Step {
        let me = Some(self.me);
        let sent = self.say_to(s.members.all(), MessageType::Coordinator, e, s.latest);
        let (dated, members) = (s.asked, s.members.clone().stamped(e));
        let answered = dated.map(|n| s.support.iter().map(|j| (*j, n)).collect()).unwrap_or_default();
        (State { leader: me, epoch: e, grantee: me, dated, answered, members, ..s.becomes(Role::Leader) }, sent)
    }

    /// R21: a claimant rests before it learns: the very epoch that it claims may be taken.
    fn refuse_heard(&self, s: State, m: &Message) -> State {
        if matches!(s.role, Role::Claimant { .. }) && s.is_asked(m) && m.epoch > s.epoch {
            return s.rest().learn(m.epoch);
        }
        self.learn_if_free(s, m.epoch)
    }

    /// R23, R24: COORDINATOR and HEARTBEAT.
    fn reign_heard(&self, s: State, m: &Message) -> Step {
        if m.epoch < s.epoch {
            let sent = self.answer(m, MessageType::Refuse, s.epoch);
            return (s, sent);
        }
        let stands = matches!(s.role, Role::Candidate | Role::Claimant { .. });
        let preempts = stands && s.leader == Some(m.from) && s.epoch == m.epoch;
        let ack = self.answer(m, MessageType::Ack, m.epoch);
        if preempts {
            return (s.bound(m), ack);
        }
        let grantee = s.grantee.filter(|_| m.epoch == s.epoch).or(Some(m.from));
        (State { epoch: m.epoch, grantee, ..s.bound(m).becomes(Role::Follower) }, ack)
    }

    /// R25: an ACK of another reign, or of what was not asked, says nothing of this one.
    fn ack_heard(&self, s: State, m: &Message) -> State {
        if s.role != Role::Leader || m.epoch != s.epoch || m.question > s.latest {
            return self.learn_if_free(s, m.epoch);
        }
        let t = s.answered_by(m);
        let counts = t.counts(m);
        self.dated(if counts { t.backed_by(m.from) } else { t })
    }

    /// R26: dates the reign from the latest question that a quorum has answered; never back.
    pub(crate) fn dated(&self, s: State) -> State {
        let since = |n: Question| self.are_quorum(&s, |j| s.answered.get(&j).is_some_and(|latest| *latest >= n));
        let settled = s.answered.values().copied().filter(|n| since(*n)).max();
        let alone = self.are_quorum(&s, |_| false);
        State { dated: if alone { Some(s.latest) } else { s.dated.max(settled) }, ..s }
    }

    /// R27: a heartbeat.
    fn heartbeat_ended(&self, s: State) -> Step {
        let t = self.dated(s.numbered());
        let sent = self.say_to(t.members.all(), MessageType::Heartbeat, t.epoch, t.latest);
        (t, sent)
    }

    /// R51: a leader names another voter, for a time that is one.
    pub fn may_name(&self, s: &State, named: Named) -> bool {
        named.id != self.me && s.members.is_voter(named.id) && named.hold <= Named::MAX_HOLD
    }

    /// R28: only a leader can resign; of any other node this is no step. R51: whom it names, if it may.
    pub fn resigned(&self, s: State, named: Option<Named>) -> Option<Step> {
        let to = named.map(Successor::Named);
        let sent = self.say_to(s.members.all(), MessageType::Resign { to }, s.epoch, s.latest);
        (s.role == Role::Leader).then(|| (s.unbound().rest(), sent))
    }

    /// R29: who succeeds is granted at once; who claims asks again those who may have refused for the sender's sake.
    fn resign_heard(&self, s: State, m: &Message, to: Option<Successor>) -> Step {
        let followed = s.leader == Some(m.from);
        let t = s.release(m);
        match to {
            Some(Successor::Named(named)) if followed && named.id == self.me && self.claims_as_named(&t, m) => {
                if let Some(e) = t.epoch.next() {
                    return self.claim(t, e, Some(m.from));
                }
            }
            Some(Successor::Granted(g)) if self.succeeds(&t, &m.of_claim(g)) => return self.claim_heard(t, &m.of_claim(g)),
            _ => {}
        }
        let (Role::Claimant { claims }, Some(asked)) = (t.role, t.asked) else {
            return (t, vec![]);
        };
        if self.may_win(&t) {
            return self.win(t, claims);
        }
        let mut sent = self.say_to(t.members.electors(), MessageType::Claim { names: None }, claims, asked);
        sent.retain(|claim| !t.support.contains(&claim.to));
        (t, sent)
    }

    /// R51: who was named claims, if it is free now, may stand, and means the same reign and configuration.
    fn claims_as_named(&self, s: &State, m: &Message) -> bool {
        s.is_idle() && s.epoch == m.epoch && s.members.is_voter(self.me) && s.counts(m)
    }

    /// R29: a claim that the sender of a RESIGN has granted is answered as if it had been heard.
    fn succeeds(&self, s: &State, claim: &Message) -> bool {
        let gives_way = match s.role {
            Role::Follower | Role::Electing => true,
            Role::Candidate => s.members.outranks(claim.from, self.me),
            Role::Claimant { .. } | Role::Leader => false,
        };
        gives_way && claim.from != self.me && s.leader.is_none() && self.may_vote(s, claim)
    }

    /// R30: keeps silent with its own lease, as it has forgotten whose it kept.
    pub fn restarted(&self, disk: Promise) -> Step {
        let Promise { epoch, grantee, reserved, members } = disk;
        let s = State { leader: Some(self.me), epoch, grantee, latest: reserved.first_after(), ..State::blank(members) };
        let t = s.becomes(Role::Electing);
        let sent = self.say_to(t.members.all(), MessageType::ImBack, t.epoch, t.latest);
        (t, sent)
    }

    /// R31: a leader tells the one who is back.
    fn im_back_heard(&self, s: State, m: &Message) -> Step {
        let t = self.learn_if_free(s.release(m), m.epoch);
        let leads = t.role == Role::Leader;
        let sent = self.say(MessageType::Coordinator, m.from, t.epoch, t.latest);
        (t, if leads { sent } else { vec![] })
    }

    /// R41: the holder of its lease is dead; no step if it keeps none, or its own.
    pub fn holder_died(&self, s: State) -> Option<Step> {
        s.shields(self.me).then(|| (s.freed(), vec![]))
    }
}
