//! What there is only where members come and go: spec R43, R44, R46 and R47.
//!
//! All other rules are in [`crate::bully`] and [`crate::state`], or in the [`Configuration`] itself (R42).

use crate::bully::{Rules, Step};
use crate::configuration::{Configuration, Members};
use crate::message::{Message, MessageType};
use crate::state::{Role, State};
use std::collections::BTreeSet;
use std::sync::Arc;

impl State {
    /// R43: c, which is newer, takes the place of its configuration.
    fn adopt(self, c: &Arc<Configuration>) -> State {
        let t = match self.role {
            Role::Candidate | Role::Claimant { .. } => self.rest(),
            Role::Follower | Role::Electing | Role::Leader => self,
        };
        t.learn(c.epoch()).among(Members::Changing(c.clone()))
    }
}

impl Rules {
    /// A message whose sender has configuration `theirs`, while `own` is that of s. R43 comes before any other rule.
    pub(crate) fn heard_with(&self, s: State, m: &Message, own: &Arc<Configuration>, theirs: &Arc<Configuration>) -> Step {
        let t = if theirs.is_newer_than(own) { s.adopt(theirs) } else { s };
        if t.members.contains(self.me) && t.members.contains(m.from) {
            return self.heard(t, m);
        }
        self.outside_heard(t, m, own.is_newer_than(theirs))
    }

    /// R44: one of the two is no member. Who asks, and is behind, is told; nothing else is taken of what it says.
    fn outside_heard(&self, s: State, m: &Message, behind: bool) -> Step {
        let asks = match m.kind {
            MessageType::Election { .. } | MessageType::Claim { .. } | MessageType::Coordinator | MessageType::Heartbeat | MessageType::ImBack => {
                true
            }
            MessageType::Ok
            | MessageType::Assent
            | MessageType::Grant
            | MessageType::Refuse
            | MessageType::Ack
            | MessageType::Resign { .. } => false,
        };
        let sent = if asks && behind { self.answer(m, MessageType::Refuse, s.epoch) } else { vec![] };
        (s, sent)
    }

    /// R46: only a voter asks. Any other member says that it does not lead, and which configuration it knows.
    pub(crate) fn ask_or_say(&self, s: State) -> Step {
        if s.members.is_voter(self.me) {
            return self.ask(s);
        }
        let t = s.rest();
        let told = if t.members.contains(self.me) { t.members.all() } else { vec![] };
        let sent = self.say_to(told, MessageType::ImBack, t.epoch, t.latest);
        (t, sent)
    }

    /// R47: the leader goes over to c; no step unless the configuration that it has is settled, and c is one member on.
    pub fn changed(&self, s: State, c: &Arc<Configuration>) -> Option<Step> {
        let new = Members::Changing(c.clone());
        let one_on = c.epoch() == s.epoch && c.follows(s.members.configuration()?);
        if s.role != Role::Leader || !one_on || !self.is_quorum(&s) || !new.is_elector(self.me) {
            return None;
        }
        let told: BTreeSet<_> = [s.members.all(), new.all()].concat().into_iter().collect();
        let t = self.dated(s.among(new).numbered());
        let sent = self.say_to(told.into_iter().collect(), MessageType::Heartbeat, t.epoch, t.latest);
        Some((t, sent))
    }
}
