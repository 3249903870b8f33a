//! A fenced resource (R38): it admits no epoch below the highest that it has admitted.

use crate::id::Epoch;

/// A resource that only a leader may write to.
///
/// This one lives in memory. A real one must keep `highest` durably, in the same transaction as the write: a check and a
/// write that something can come between protect nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    highest: Epoch,
    value: String,
}

/// A write that was not done: its writer has been deposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    pub highest: Epoch,
}

impl Resource {
    /// Checks, raises and writes in one step. The same epoch is admitted again: a leader writes more than once.
    pub fn write(&mut self, epoch: Epoch, value: &str) -> Result<(), Refused> {
        if epoch < self.highest {
            return Err(Refused { highest: self.highest });
        }
        self.highest = epoch;
        self.value = value.to_owned();
        Ok(())
    }

    pub fn highest(&self) -> Epoch {
        self.highest
    }

    /// What was written last.
    pub fn value(&self) -> &str {
        &self.value
    }
}
