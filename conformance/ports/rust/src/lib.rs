//! Bully leader election that survives crashes, restarts, cuts and slow timers: the function of one node.
//!
//! A [`Node`] has no clock, disk, network or thread. Its host, the program round it, has these, and does in a loop: take one
//! input, give it to the node, do what the node asks, in order. Each rule of the protocol (R1 to R51) is a small function of
//! [`bully`], [`changing`], [`state`] or [`configuration`], and named there.
//!
//! ```
//! use bully::{Effect, Id, Input, Members, Node, Timer};
//!
//! // The members are the same at every node, and ascending; the id is one of them.
//! let ids: [Id; 3] = ["1", "2", "3"].map(|id| id.parse().expect("an id of R1"));
//! let members = Members::fixed(&ids).expect("ascending"); // or Members::changing(configuration)
//!
//! // The first start. With a record on disk it would be Node::restart(ids[2], record).
//! let (mut node, mut effects) = Node::start(ids[2], members).expect("one of the members");
//! let mut inputs = vec![Input::Timer(Timer::Patience)].into_iter();  // a real host waits for messages and timers
//! let mut sent = vec![];
//! loop {
//!     for effect in effects {
//!         match effect {
//!             Effect::Save(_promise) => { /* write, fsync, and only then go on; if it fails, stop for good */ }
//!             Effect::Over(_epoch) => { /* the user's reign is over: it acts no more */ }
//!             Effect::Arm(_timer) => { /* set it, anew if it runs; claim, reign and heartbeat from when their question was asked (R36) */ }
//!             Effect::Cancel(_timer) => { /* stop it; its end is not to reach the node any more */ }
//!             Effect::Send(message) => sent.push(message), // hand it to the link, without waiting
//!             Effect::Tell(_leader) => { /* who leads, and in which epoch */ }
//!         }
//!     }
//!     let Some(input) = inputs.next() else { break };
//!     effects = node.step(&input).unwrap_or_else(|why| {
//!         eprintln!("ignored: {why}"); // count it: bad input changes nothing
//!         vec![]
//!     });
//! }
//! assert_eq!(sent.len(), 2); // it asks 1 and 2 whether they would follow it
//! ```

pub mod bully;
pub mod changing;
pub mod configuration;
pub mod fence;
pub mod id;
pub mod json;
pub mod message;
pub mod node;
pub mod state;

pub use configuration::{Configuration, Kind, Member, Members};
pub use fence::Resource;
pub use id::{Epoch, Id, Question, Reserved};
pub use message::{Granted, Message, MessageType, Named, Successor, Timer};
pub use node::{Effect, Ignored, Input, Node, Refusal};
pub use state::{Promise, Role, State};
