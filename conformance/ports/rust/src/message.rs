//! Messages and timers: what comes to a node, and what it asks for (spec sections 7 and 9).

use crate::configuration::Configuration;
use crate::id::{Epoch, Id};
use std::fmt;
use std::sync::Arc;

/// The eleven types of message (section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageType {
    Election,
    Ok,
    Assent,
    Claim,
    Grant,
    Refuse,
    Coordinator,
    Heartbeat,
    Ack,
    Resign,
    ImBack,
}

/// A message; that its sender is not its receiver is for whoever reads it to see to (R33).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub kind: MessageType,
    pub from: Id,
    pub to: Id,
    pub epoch: Epoch,
    /// R43: that of its sender after the step that sent it; `None` where members are fixed.
    pub configuration: Option<Arc<Configuration>>,
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
    /// All types, by their codes from 1.
    pub const ALL: [MessageType; 11] = [
        MessageType::Election,
        MessageType::Ok,
        MessageType::Assent,
        MessageType::Claim,
        MessageType::Grant,
        MessageType::Refuse,
        MessageType::Coordinator,
        MessageType::Heartbeat,
        MessageType::Ack,
        MessageType::Resign,
        MessageType::ImBack,
    ];

    pub fn name(self) -> &'static str {
        match self {
            MessageType::Election => "ELECTION",
            MessageType::Ok => "OK",
            MessageType::Assent => "ASSENT",
            MessageType::Claim => "CLAIM",
            MessageType::Grant => "GRANT",
            MessageType::Refuse => "REFUSE",
            MessageType::Coordinator => "COORDINATOR",
            MessageType::Heartbeat => "HEARTBEAT",
            MessageType::Ack => "ACK",
            MessageType::Resign => "RESIGN",
            MessageType::ImBack => "IM_BACK",
        }
    }

    pub fn named(name: &str) -> Option<MessageType> {
        MessageType::ALL.into_iter().find(|kind| kind.name() == name)
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
