//! The state of a node, and the rules that need not know whose it is (spec sections 6 and 8).

use crate::configuration::Members;
use crate::id::{Epoch, Id};
use crate::message::Message;
use std::collections::BTreeSet;

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
    pub epoch: Epoch,
    pub grantee: Option<Id>,
    pub support: BTreeSet<Id>,
    /// Fixed members never change, and so are no part of what is written of a state.
    pub members: Members,
}

/// What a crash leaves of a state: the record on disk (R4, section 10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    pub epoch: Epoch,
    pub grantee: Option<Id>,
    pub members: Members,
}

impl State {
    /// R32, R49: the state of a node that has never had a record.
    pub fn blank(members: Members) -> State {
        State { role: Role::Follower, leader: None, epoch: Epoch::ZERO, grantee: None, support: BTreeSet::new(), members }
    }

    /// R4: what is on disk.
    pub fn promise(&self) -> Promise {
        Promise { epoch: self.epoch, grantee: self.grantee, members: self.members.clone() }
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
        Ok(())
    }

    /// What most steps come to: another role, promise and lease, and no support.
    pub(crate) fn becomes(self, role: Role, leader: Option<Id>, epoch: Epoch, grantee: Option<Id>) -> State {
        State { role, leader, epoch, grantee, support: BTreeSet::new(), ..self }
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
        State { leader: None, ..self }
    }

    /// R5: it keeps a lease, and of another than c.
    pub(crate) fn shields(&self, c: Id) -> bool {
        self.leader.is_some_and(|l| l != c)
    }

    /// R5: j says that it does not lead, or is proved dead.
    pub(crate) fn release(self, j: Id) -> State {
        match self.role {
            _ if self.leader != Some(j) => self,
            Role::Follower | Role::Electing => self.unbound().rest(),
            Role::Candidate | Role::Claimant { .. } | Role::Leader => self.unbound(),
        }
    }

    /// R6: gives up what it was doing, and waits for the lease to end if it keeps one.
    pub(crate) fn rest(self) -> State {
        let role = if self.leader.is_none() { Role::Follower } else { Role::Electing };
        State { role, support: BTreeSet::new(), ..self }
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

    /// R10: its lease would not keep it from granting a claim of c.
    pub(crate) fn is_free_for(&self, c: Id) -> bool {
        self.leader.is_none_or(|l| l == c || (self.members.outranks(c, l) && self.role != Role::Electing))
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

    /// R11: gives way to a higher node; who leads or follows somebody stays what it is.
    pub(crate) fn give_way(self) -> State {
        match self.role {
            Role::Follower if self.leader.is_some() => self,
            Role::Electing | Role::Leader => self,
            Role::Follower | Role::Candidate | Role::Claimant { .. } => State { role: Role::Electing, support: BTreeSet::new(), ..self },
        }
    }

    /// R12: somebody better has it in hand.
    pub(crate) fn ok_heard(self, m: &Message) -> State {
        let t = self.learn(m.epoch);
        match t.role {
            Role::Candidate | Role::Electing if t.counts(m) => State { role: Role::Electing, ..t.backed_by(m.from) },
            Role::Follower | Role::Candidate | Role::Electing | Role::Claimant { .. } | Role::Leader => t,
        }
    }

    /// R21: a claimant rests before it learns: the very epoch that it claims may be taken.
    pub(crate) fn refuse_heard(self, m: &Message) -> State {
        let refused = matches!(self.role, Role::Claimant { .. }) && m.epoch > self.epoch;
        let t = if refused { self.rest() } else { self };
        t.learn(m.epoch)
    }

    /// R25: an ACK counts for the reign that it is of.
    pub(crate) fn ack_heard(self, m: &Message) -> State {
        if self.role == Role::Leader && m.epoch == self.epoch && self.counts(m) {
            return self.backed_by(m.from);
        }
        self.learn(m.epoch)
    }
}
