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
    Claim,
    Grant,
    Refuse,
    Coordinator,
    Heartbeat,
    Ack,
    Resign {
        /// The claim that was granted in its place, if it is of a hand-over (R18).
        granted: Option<Granted>,
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
        Message { kind: MessageType::Claim, from, epoch, question, ..self.clone() }
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
    const PLAIN: [MessageType; 9] = [
        MessageType::Ok,
        MessageType::Assent,
        MessageType::Claim,
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
            MessageType::Claim => "CLAIM",
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
