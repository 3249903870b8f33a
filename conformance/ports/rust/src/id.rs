//! Ids and epochs: the two kinds of number that the protocol compares (spec section 5).

use std::fmt;
use std::num::NonZeroU128;
use std::str::FromStr;

/// A node's id, and so its rank: the higher id is the better leader (R1).
///
/// Its 16 bytes are held as one unsigned integer, first byte highest. Comparing those integers is comparing the bytes as
/// R1 wants it, and sixteen zero bytes, which are no node, cannot be held at all: no node is `None` of an `Option<Id>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU128);

/// A text that is not exactly of a form of R1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadId;

impl FromStr for Id {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Id, BadId> {
        let number = if text.len() == 36 { uuid(text) } else { integer(text) };
        number.and_then(NonZeroU128::new).map(Id).ok_or(BadId)
    }
}

/// An integer of 1 to 2^64−1 in decimal digits, without sign or leading zero.
fn integer(text: &str) -> Option<u128> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    // u64 says no to what is too long, so no length has to be checked; and to the empty text.
    plain.then(|| text.parse::<u64>().ok()).flatten().map(u128::from)
}

/// The canonical text of a UUID of version 4 and variant 10, in lower case.
fn uuid(text: &str) -> Option<u128> {
    let mut number = 0;
    for (at, byte) in text.bytes().enumerate() {
        let fits = match at {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'4',
            19 => b"89ab".contains(&byte),
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        };
        if !fits {
            return None;
        }
        if byte != b'-' {
            number = number << 4 | u128::from(char::from(byte).to_digit(16)?);
        }
    }
    Some(number)
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.0.get();
        if n >> 64 == 0 {
            return write!(f, "{n}");
        }
        let (a, b, c, d) = (n >> 96, n >> 80 & 0xffff, n >> 64 & 0xffff, n >> 48 & 0xffff);
        write!(f, "{a:08x}-{b:04x}-{c:04x}-{d:04x}-{:012x}", n & 0xffff_ffff_ffff)
    }
}

/// An epoch: 0 to 2^53−1 (R2). It is also the fencing token of whoever leads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(u64);

impl Epoch {
    /// Epoch 0 is nobody's.
    pub const ZERO: Epoch = Epoch(0);
    /// The end: a node whose epoch this is does not claim.
    pub const MAX: Epoch = Epoch((1 << 53) - 1);

    /// The epoch of that number; `None` above the bound, as nothing may cut it to the bound (R33).
    pub fn new(number: u64) -> Option<Epoch> {
        Some(Epoch(number)).filter(|e| *e <= Epoch::MAX)
    }

    /// The epoch to claim next; `None` at the bound.
    pub fn next(self) -> Option<Epoch> {
        Epoch::new(self.0 + 1)
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
