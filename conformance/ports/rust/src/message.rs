//! Messages and timers: what comes to a node, and what it asks for (spec sections 7 and 9).

use crate::configuration::Configuration;
use crate::id::{Epoch, Id, Question};
use std::fmt;
use std::sync::Arc;

/// The eleven types of message (section 7), with what one of that type says besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageType {
    Election {
        /// Whose lease its sender keeps (R8).
        keeps: Option<Id>,
    },
    Ok,
    Assent,
    Claim {
        /// Who has named its sender, and leads no more (R51).
        names: Option<Id>,
    },
    Grant,
    Refuse,
    Coordinator,
    Heartbeat,
    Ack,
    Resign {
        /// To whom it hands over, if to anybody.
        to: Option<Successor>,
    },
    ImBack,
}

/// A claim that a leader has granted as it handed over (R18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    pub by: Id,
    pub epoch: Epoch,
    /// Of the CLAIM.
    pub question: Question,
}

/// Whom a RESIGN says to be the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successor {
    /// Whose claim was granted (R18).
    Granted(Granted),
    /// Who is to stand first (R51).
    Named(Named),
}

/// A node that is to stand first, and for how many milliseconds it is to be left in peace; 0 is not at all (R51).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub id: Id,
    pub hold: u64,
}

impl Named {
    /// The greatest time, in milliseconds: a day.
    pub const MAX_HOLD: u64 = 24 * 60 * 60 * 1000;
}

/// A message; that its sender is not its receiver is for whoever reads it to see to (R33).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub kind: MessageType,
    pub from: Id,
    pub to: Id,
    pub epoch: Epoch,
    /// R50: what it asks, what it answers, or as of which number it is so.
    pub question: Question,
    /// R43: that of its sender after the step that sent it; `None` where members are fixed.
    pub configuration: Option<Arc<Configuration>>,
}

impl Message {
    /// R29: that claim, as if its claimant had said it to the receiver of this message.
    pub(crate) fn of_claim(&self, claim: Granted) -> Message {
        let Granted { by: from, epoch, question } = claim;
        Message { kind: MessageType::Claim { names: None }, from, epoch, question, ..self.clone() }
    }
}

/// The timers that a node asks its host to run (R36).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    Patience,
    Preempt,
    Election,
    Coordinator,
    Claim,
    Reign,
    Heartbeat,
}

impl MessageType {
    /// The types that say nothing besides.
    const PLAIN: [MessageType; 8] = [
        MessageType::Ok,
        MessageType::Assent,
        MessageType::Grant,
        MessageType::Refuse,
        MessageType::Coordinator,
        MessageType::Heartbeat,
        MessageType::Ack,
        MessageType::ImBack,
    ];

    /// The type of that name, if it says nothing besides.
    pub fn plain(name: &str) -> Option<MessageType> {
        MessageType::PLAIN.into_iter().find(|kind| kind.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            MessageType::Election { .. } => "ELECTION",
            MessageType::Ok => "OK",
            MessageType::Assent => "ASSENT",
            MessageType::Claim { .. } => "CLAIM",
            MessageType::Grant => "GRANT",
            MessageType::Refuse => "REFUSE",
            MessageType::Coordinator => "COORDINATOR",
            MessageType::Heartbeat => "HEARTBEAT",
            MessageType::Ack => "ACK",
            MessageType::Resign { .. } => "RESIGN",
            MessageType::ImBack => "IM_BACK",
        }
    }
}

impl Timer {
    pub const ALL: [Timer; 7] =
        [Timer::Patience, Timer::Preempt, Timer::Election, Timer::Coordinator, Timer::Claim, Timer::Reign, Timer::Heartbeat];

    pub fn name(self) -> &'static str {
        match self {
            Timer::Patience => "patience",
            Timer::Preempt => "preempt",
            Timer::Election => "election",
            Timer::Coordinator => "coordinator",
            Timer::Claim => "claim",
            Timer::Reign => "reign",
            Timer::Heartbeat => "heartbeat",
        }
    }

    pub fn named(name: &str) -> Option<Timer> {
        Timer::ALL.into_iter().find(|timer| timer.name() == name)
    }
}

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
