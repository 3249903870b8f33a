//! Ids, epochs and numbers of questions: what the protocol compares (spec section 5, and R50).

use std::fmt;
use std::num::{NonZeroU128, NonZeroU64};
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

/// The number of a question: 1 to 2^53−1 (R50).
///
/// No question is `None` of an `Option<Question>`, which is written 0, and is before any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question(NonZeroU64);

impl Question {
    /// The latest number of a node that has asked nothing yet (R32).
    pub const FIRST: Question = Question(NonZeroU64::MIN);

    /// The question of that number; `None` if there is none.
    pub fn new(number: u64) -> Option<Question> {
        NonZeroU64::new(number).map(Question).filter(|q| q.0.get() < 1 << 53)
    }

    /// The next number that a node uses. None is used twice, so a life in which 2^52 do not suffice ends in a panic; there is none.
    pub(crate) fn next(self) -> Question {
        Question::new(self.0.get() + 1).expect("a number that is left")
    }

    /// R50: up to which number a node has reserved them that has used this one.
    pub fn reserved(self) -> Reserved {
        Reserved(self.0.get().next_multiple_of(Reserved::BLOCK))
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Up to which number a node may have used its numbers: what its record says of them (R50).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserved(u64);

impl Reserved {
    /// How many numbers are reserved by one write.
    const BLOCK: u64 = 1 << 20;

    /// What a record reserves; `None` above 2^52, which is malformed.
    pub fn new(number: u64) -> Option<Reserved> {
        (number <= 1 << 52).then_some(Reserved(number))
    }

    /// The first number of the next life.
    pub(crate) fn first_after(self) -> Question {
        Question::new(self.0 + 1).expect("a record reserves at most 2^52")
    }
}

impl fmt::Display for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
