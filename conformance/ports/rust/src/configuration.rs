//! Configurations: who the members are where they come and go (R42), and the two sorts of cluster as one question to ask.
//!
//! A [`Configuration`] cannot be made but by [`Configuration::new`], which refuses what R42 does not allow, so a rule that is
//! given one has nothing left to check.

use crate::id::{Epoch, Id};
use std::sync::Arc;

/// What a member may do (R42).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Votes, and may lead.
    Voter,
    /// Votes, and never leads.
    Witness,
    /// Follows, and no more.
    Observer,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Voter, Kind::Witness, Kind::Observer];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Voter => "voter",
            Kind::Witness => "witness",
            Kind::Observer => "observer",
        }
    }

    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Voters and witnesses are the electors: quorums are made of them.
    fn elects(self) -> bool {
        matches!(self, Kind::Voter | Kind::Witness)
    }
}

/// A member: an entry of a configuration (R42). The rules compare its address, and look at it no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub id: Id,
    pub kind: Kind,
    /// Of two members that of the higher rank is the better leader; of two of one rank that of the higher id (R1).
    pub rank: u16,
    pub address: String,
}

impl Member {
    /// R42: at most 128 printable ASCII characters, but for a few that other formats would have to escape.
    fn has_an_address(&self) -> bool {
        let plain = |b: u8| b.is_ascii_graphic() && !b"\"\\&<>".contains(&b);
        self.address.len() <= 128 && self.address.bytes().all(plain)
    }
}

/// A configuration: an epoch, a version, and the members, ascending (R42).
#[derive(Debug, PartialEq, Eq)]
pub struct Configuration {
    epoch: Epoch,
    version: u64,
    members: Vec<Member>,
}

/// What the longest binary form of a message with a configuration takes but for members, for a member but for its rank and its address, and in all.
const BYTES: (usize, usize, usize) = (99, 18, 1024);

impl Configuration {
    /// How many members there may be.
    pub const MOST: usize = 50;

    /// Refuses what is no configuration (R42), and says why.
    pub fn new(epoch: Epoch, version: u64, members: Vec<Member>) -> Result<Configuration, &'static str> {
        if Epoch::new(version).is_none() {
            return Err("the version is above 2^53-1 (R42)"); // which is the bound of epochs too
        }
        if members.len() > Configuration::MOST {
            return Err("more than 50 members (R42)");
        }
        if !members.windows(2).all(|pair| pair[0].id < pair[1].id) {
            return Err("the members are not ascending, each once (R42)");
        }
        if !members.iter().all(Member::has_an_address) {
            return Err("an address that is none (R42)");
        }
        let (empty, member, most) = BYTES;
        if members.iter().map(|m| member + if m.rank > 0 { 2 } else { 0 } + m.address.len()).sum::<usize>() + empty > most {
            return Err("a message with this configuration is longer than 1024 bytes (R42)");
        }
        let voters = members.iter().any(|m| m.kind == Kind::Voter);
        if members.is_empty() && (epoch > Epoch::ZERO || version > 0) {
            return Err("the empty configuration has version 0 and epoch 0 (R49)");
        }
        if !members.is_empty() && (version == 0 || !voters) {
            return Err("members without a voter, or with version 0 (R42)");
        }
        Ok(Configuration { epoch, version, members })
    }

    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// R42: which of two was made later.
    pub fn is_newer_than(&self, other: &Configuration) -> bool {
        (self.epoch, self.version) > (other.epoch, other.version)
    }

    /// R47.2 and R47.4: the version after that of `old`, and one member differs.
    pub fn follows(&self, old: &Configuration) -> bool {
        let gone = old.members.iter().filter(|m| self.entry(m.id).is_none()).count();
        let new_or_other = self.members.iter().filter(|m| old.entry(m.id) != Some(m)).count();
        self.version == old.version + 1 && gone + new_or_other == 1
    }

    /// R48: the same members and version, in the epoch that has been won.
    fn stamped(&self, epoch: Epoch) -> Configuration {
        Configuration { epoch, version: self.version, members: self.members.clone() }
    }

    fn entry(&self, j: Id) -> Option<&Member> {
        self.members.binary_search_by_key(&j, |m| m.id).ok().map(|at| &self.members[at])
    }
}

/// Who the members are: fixed, or as in the newest configuration that the node has. Rules ask this, and need not know which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// R40: the same at every node, for ever, and all voters.
    Fixed(Arc<[Id]>),
    /// R42.
    Changing(Arc<Configuration>),
}

impl Members {
    /// Fixed members; `None` unless they are ascending, each once, and at least one.
    pub fn fixed(ids: &[Id]) -> Option<Members> {
        let ascending = ids.windows(2).all(|pair| pair[0] < pair[1]);
        (ascending && !ids.is_empty()).then(|| Members::Fixed(ids.into()))
    }

    pub fn changing(configuration: Configuration) -> Members {
        Members::Changing(Arc::new(configuration))
    }

    /// What is written into messages, states and records; `None` where members are fixed.
    pub fn configuration(&self) -> Option<&Arc<Configuration>> {
        match self {
            Members::Fixed(_) => None,
            Members::Changing(c) => Some(c),
        }
    }

    fn kind(&self, j: Id) -> Option<Kind> {
        match self {
            Members::Fixed(ids) => ids.binary_search(&j).is_ok().then_some(Kind::Voter),
            Members::Changing(c) => c.entry(j).map(|m| m.kind),
        }
    }

    pub fn contains(&self, j: Id) -> bool {
        self.kind(j).is_some()
    }

    pub(crate) fn is_voter(&self, j: Id) -> bool {
        self.kind(j) == Some(Kind::Voter)
    }

    pub(crate) fn is_elector(&self, j: Id) -> bool {
        self.kind(j).is_some_and(Kind::elects)
    }

    /// All members, ascending.
    pub fn all(&self) -> Vec<Id> {
        match self {
            Members::Fixed(ids) => ids.to_vec(),
            Members::Changing(c) => c.members.iter().map(|m| m.id).collect(),
        }
    }

    /// Those who make quorums, ascending.
    pub(crate) fn electors(&self) -> Vec<Id> {
        self.all().into_iter().filter(|j| self.is_elector(*j)).collect()
    }

    /// The highest of those who may lead.
    pub(crate) fn highest(&self) -> Option<Id> {
        self.all().into_iter().filter(|j| self.is_voter(*j)).max_by_key(|j| self.height(*j))
    }

    /// R1: by what members are compared.
    fn height(&self, j: Id) -> (u16, Id) {
        match self {
            Members::Fixed(_) => (0, j),
            Members::Changing(c) => (c.entry(j).map_or(0, |m| m.rank), j),
        }
    }

    /// R46: k is to lead rather than l; with fixed members that is to be higher.
    pub(crate) fn outranks(&self, k: Id, l: Id) -> bool {
        self.height(k) > self.height(l) || !self.is_voter(l)
    }

    pub(crate) fn stamped(self, epoch: Epoch) -> Members {
        match self {
            Members::Fixed(_) => self,
            Members::Changing(c) => Members::changing(c.stamped(epoch)),
        }
    }
}
