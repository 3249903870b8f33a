//! The state of a node, and the rules that need not know whose it is (spec sections 6 and 8).

use crate::configuration::Members;
use crate::id::{Epoch, Id, Question, Reserved};
use crate::message::Message;
use std::collections::{BTreeMap, BTreeSet};

/// What a node is doing about leadership (section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Follower,
    Candidate,
    Electing,
    /// Who claims has an epoch to claim: always the next after its own, so a node at the bound cannot be one (R2).
    Claimant {
        claims: Epoch,
    },
    Leader,
}

/// The state of a node (section 6), with the members that it knows of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub role: Role,
    /// Whose lease it keeps.
    pub leader: Option<Id>,
    /// The latest question of that node which it has answered; none of its own.
    pub lease: Option<Question>,
    pub epoch: Epoch,
    pub grantee: Option<Id>,
    pub support: BTreeSet<Id>,
    /// What it asks now, as a candidate, electing or as a claimant.
    pub asked: Option<Question>,
    /// The latest number that it has used (R50).
    pub latest: Question,
    /// Of a leader: the latest question that a quorum has answered (R26).
    pub dated: Option<Question>,
    /// Of a leader: the latest question that each has answered (R25).
    pub answered: BTreeMap<Id, Question>,
    /// Fixed members never change, and so are no part of what is written of a state.
    pub members: Members,
}

/// What a crash leaves of a state: the record on disk (R4, section 10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    pub epoch: Epoch,
    pub grantee: Option<Id>,
    /// Up to which number it may have used them (R50).
    pub reserved: Reserved,
    pub members: Members,
}

impl State {
    /// R32, R49: the state of a node that has never had a record.
    pub fn blank(members: Members) -> State {
        State {
            role: Role::Follower,
            leader: None,
            lease: None,
            epoch: Epoch::ZERO,
            grantee: None,
            support: BTreeSet::new(),
            asked: None,
            latest: Question::FIRST,
            dated: None,
            answered: BTreeMap::new(),
            members,
        }
    }

    /// R4: what is on disk.
    pub fn promise(&self) -> Promise {
        Promise { epoch: self.epoch, grantee: self.grantee, reserved: self.latest.reserved(), members: self.members.clone() }
    }

    /// Whether node `me` can be in this state: it names nobody but members, and backs itself without saying so. Where members
    /// change, a lease and a promise outlast the membership of whom they are for, but no configuration is ahead of the epoch.
    pub(crate) fn check(&self, me: Id) -> Result<(), &'static str> {
        let known = |j: &Id| self.members.contains(*j);
        match &self.members {
            Members::Fixed(_) if !known(&me) => return Err("the node is no member (R40)"),
            Members::Fixed(_) if !self.leader.iter().chain(&self.grantee).all(known) => return Err("leader or grantee is no member (R40)"),
            Members::Changing(c) if c.epoch() > self.epoch => return Err("the epoch of the configuration is above that of the state"),
            _ => {}
        }
        if self.support.contains(&me) || !self.support.iter().all(known) {
            return Err("the support is not of other members");
        }
        if self.answered.contains_key(&me) || !self.answered.keys().all(known) {
            return Err("who has answered is no other member");
        }
        if self.asked.iter().chain(&self.dated).chain(self.answered.values()).any(|n| *n > self.latest) {
            return Err("a number of its own is above the latest (R50)");
        }
        Ok(())
    }

    /// In a role in which nothing has been asked or answered yet.
    pub(crate) fn becomes(self, role: Role) -> State {
        State { role, support: BTreeSet::new(), asked: None, dated: None, answered: BTreeMap::new(), ..self }
    }

    /// R50: takes a new number.
    pub(crate) fn numbered(self) -> State {
        State { latest: self.latest.next(), ..self }
    }

    /// R8, R16: asks a new question in that role.
    pub(crate) fn asks(self, role: Role) -> State {
        let t = self.becomes(role).numbered();
        State { asked: Some(t.latest), ..t }
    }

    /// R50: the message answers what it asks now.
    pub(crate) fn is_asked(&self, m: &Message) -> bool {
        self.asked == Some(m.question)
    }

    /// R12, R13: the message answers its ELECTION, which it has not given up.
    pub(crate) fn awaits(&self, m: &Message) -> bool {
        matches!(self.role, Role::Candidate | Role::Electing) && self.is_asked(m)
    }

    /// R5: keeps the lease of the sender, of its question; the lease of one node never gets older.
    pub(crate) fn bound(self, m: &Message) -> State {
        let kept = self.lease.filter(|_| self.leader == Some(m.from));
        State { leader: Some(m.from), lease: kept.max(Some(m.question)), ..self }
    }

    /// R39: whom users may be told of, and in which epoch. A lease kept in any other role is a wait, not a reign.
    pub fn known(&self) -> Option<(Id, Epoch)> {
        match self.role {
            Role::Follower | Role::Leader => self.leader.map(|l| (l, self.epoch)),
            Role::Candidate | Role::Electing | Role::Claimant { .. } => None,
        }
    }

    pub(crate) fn backed_by(mut self, j: Id) -> State {
        self.support.insert(j);
        self
    }

    pub(crate) fn unbound(self) -> State {
        State { leader: None, lease: None, ..self }
    }

    /// R5: it keeps a lease, and of another than c.
    pub(crate) fn shields(&self, c: Id) -> bool {
        self.leader.is_some_and(|l| l != c)
    }

    /// R5: the sender says that it does not lead, as of its question.
    pub(crate) fn release(self, m: &Message) -> State {
        if self.leader == Some(m.from) && Some(m.question) >= self.lease {
            return self.freed();
        }
        self
    }

    /// R5, R41: who holds its lease does not lead.
    pub(crate) fn freed(self) -> State {
        match self.role {
            Role::Follower | Role::Electing => self.unbound().rest(),
            Role::Candidate | Role::Claimant { .. } | Role::Leader => self.unbound(),
        }
    }

    /// R6: gives up what it was doing, and waits for the lease to end if it keeps one.
    pub(crate) fn rest(self) -> State {
        let role = if self.leader.is_none() { Role::Follower } else { Role::Electing };
        self.becomes(role)
    }

    /// R7: learns e, unless that is the very epoch that it claims.
    pub(crate) fn learn(self, e: Epoch) -> State {
        if e <= self.epoch || self.role == (Role::Claimant { claims: e }) {
            return self;
        }
        let t = State { epoch: e, grantee: None, ..self };
        match t.role {
            Role::Candidate | Role::Electing => t,
            Role::Leader => t.unbound().rest(),
            Role::Follower | Role::Claimant { .. } => t.rest(),
        }
    }

    /// R45: the sender holds the same configuration. Fixed members are the same everywhere.
    pub(crate) fn counts(&self, m: &Message) -> bool {
        self.members.configuration() == m.configuration.as_ref()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.role == Role::Follower && self.leader.is_none()
    }

    /// R17: it can promise e to c and break no promise.
    pub(crate) fn may_grant(&self, c: Id, e: Epoch) -> bool {
        e > self.epoch || (e == self.epoch && self.grantee.is_none_or(|g| g == c))
    }

    /// R11: gives way to a higher node; who claims is firm, and who leads or follows somebody stays what it is.
    pub(crate) fn give_way(self) -> State {
        if self.role == Role::Candidate || self.is_idle() {
            return self.becomes(Role::Electing);
        }
        self
    }

    /// R25: the sender has answered its question, or a later one before.
    pub(crate) fn answered_by(mut self, m: &Message) -> State {
        let latest = self.answered.entry(m.from).or_insert(m.question);
        *latest = m.question.max(*latest);
        self
    }

    /// R43, R47: goes over to these members; what was asked, and support that was given, among those before says nothing of them.
    pub(crate) fn among(self, members: Members) -> State {
        let mut answered = self.answered;
        answered.retain(|j, _| members.contains(*j));
        State { support: BTreeSet::new(), asked: None, answered, members, ..self }
    }
}
