//! Whole elections, told as they happen: nodes on perfect links, whose timers end when the scenario says so.

use bully::{Effect, Id, Input, Member, Message, Node, Promise, Role, Timer};
use std::collections::{BTreeMap, VecDeque};

fn id(text: &str) -> Id {
    text.parse().expect("an id of R1")
}

/// Nodes 1 to n, what their disks keep, and the messages under way.
#[derive(Default)]
struct Net {
    members: Vec<Id>,
    up: BTreeMap<Id, Node>,
    disks: BTreeMap<Id, Promise>,
    link: VecDeque<Message>,
    /// Who has sent what, in short: "3 CLAIM 1".
    log: Vec<String>,
}

impl Net {
    fn of(n: u32) -> Net {
        let members: Vec<Id> = (1..=n).map(|i| id(&i.to_string())).collect();
        let mut net = Net { members: members.clone(), ..Net::default() };
        for me in members {
            net.start(me);
        }
        net
    }

    /// Starts a node: for the first time, or with what its disk has kept.
    fn start(&mut self, me: Id) {
        let member = Member::new(me, self.members.clone()).expect("a member");
        let (node, effects) = match self.disks.get(&me) {
            Some(record) => Node::restart(member, *record),
            None => Node::start(member),
        };
        self.up.insert(me, node);
        self.obey(me, effects);
    }

    fn crash(&mut self, who: &str) {
        self.up.remove(&id(who));
        self.link.retain(|m| m.from != id(who));
    }

    fn give(&mut self, who: Id, input: Input) {
        let Some(node) = self.up.get_mut(&who) else { return };
        if let Ok(effects) = node.step(&input) {
            self.obey(who, effects);
        }
    }

    fn obey(&mut self, who: Id, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Save(promise) => drop(self.disks.insert(who, promise)),
                Effect::Send(m) => {
                    self.log.push(format!("{} {} {}", m.from, m.kind.name(), m.to));
                    self.link.push_back(m);
                }
                Effect::Over(_) | Effect::Arm(_) | Effect::Cancel(_) | Effect::Tell(_) => {}
            }
        }
    }

    /// Delivers all messages, those too that they cause.
    fn settle(&mut self) {
        while let Some(m) = self.link.pop_front() {
            self.give(m.to, Input::Message(m));
        }
    }

    fn ends(&mut self, who: &str, timer: Timer) {
        self.give(id(who), Input::Timer(timer));
        self.settle();
    }

    /// Asserts that a node leads an epoch, and that all others who are up follow it.
    fn led_by(&self, leader: &str, epoch: &str) {
        for (me, node) in &self.up {
            let s = node.state();
            let role = if *me == id(leader) { Role::Leader } else { Role::Follower };
            assert_eq!((s.role, s.leader, s.epoch.to_string()), (role, Some(id(leader)), epoch.to_owned()), "node {me}");
        }
    }
}

/// Three nodes that have elected 3.
fn settled() -> Net {
    let mut net = Net::of(3);
    net.ends("3", Timer::Heartbeat);
    net
}

#[test]
fn three_nodes_elect_the_highest() {
    let mut net = Net::of(3);
    net.ends("1", Timer::Heartbeat); // 1 asks; 2 and 3 say OK, and ask themselves; all assent to 3
    net.led_by("3", "1");
    assert!(net.log.contains(&"2 OK 1".to_owned()) && net.log.contains(&"2 ASSENT 3".to_owned()));
}

#[test]
fn the_highest_alone_says_nothing_twice() {
    let net = settled();
    net.led_by("3", "1");
    let said = ["ELECTION", "ASSENT", "CLAIM", "GRANT", "COORDINATOR", "ACK"];
    let counts: Vec<usize> = said.iter().map(|kind| net.log.iter().filter(|m| m.contains(kind)).count()).collect();
    assert_eq!(counts, [2, 2, 2, 2, 2, 2]);
}

#[test]
fn after_a_crash_the_next_one_leads_the_next_epoch() {
    let mut net = settled();
    net.crash("3");
    for who in ["1", "2"] {
        net.give(id(who), Input::HolderDead);
    }
    net.ends("2", Timer::Heartbeat); // 3 is a member still: 2 is not the highest, and waits for T_elec
    net.ends("2", Timer::Election);
    net.led_by("2", "2");
}

#[test]
fn a_leader_that_returns_first_follows_and_then_takes_over_by_a_hand_over() {
    let mut net = settled();
    net.crash("3");
    net.ends("1", Timer::Heartbeat); // without a proof of death the leases end by standing
    net.ends("2", Timer::Heartbeat);
    net.ends("2", Timer::Election);
    net.led_by("2", "2");

    net.start(id("3"));
    net.settle(); // its IM_BACK is answered by the COORDINATOR of 2
    net.led_by("2", "2");

    net.log.clear();
    net.ends("3", Timer::Preempt);
    net.led_by("3", "3");
    let sent_by_2: Vec<&str> = net.log.iter().map(String::as_str).filter(|m| m.starts_with('2')).collect();
    assert_eq!(sent_by_2, ["2 ASSENT 3", "2 GRANT 3", "2 RESIGN 1", "2 RESIGN 3", "2 ACK 3"]);
}

#[test]
fn a_leader_that_hears_nobody_steps_down() {
    let mut net = settled();
    net.ends("3", Timer::Quorum); // backed by the ACKs of its COORDINATOR
    net.led_by("3", "1");
    net.crash("1");
    net.crash("2");
    net.ends("3", Timer::Quorum);
    assert_eq!(net.up[&id("3")].state().role, Role::Follower);
}

#[test]
fn a_node_alone_leads_at_once_and_keeps_its_epochs_over_a_restart() {
    let mut net = Net::of(1);
    net.ends("1", Timer::Heartbeat);
    net.ends("1", Timer::Election);
    net.led_by("1", "1");
    net.crash("1");
    net.start(id("1"));
    net.ends("1", Timer::Coordinator);
    net.led_by("1", "2");
    assert_eq!(net.log, [""; 0]);
}

#[test]
fn one_promise_an_epoch_even_over_a_crash() {
    let mut net = Net::of(3);
    let claim = |from: &str| {
        let epoch = bully::Epoch::ZERO.next().expect("an epoch");
        Input::Message(Message { kind: bully::MessageType::Claim, from: id(from), to: id("2"), epoch })
    };
    net.give(id("2"), claim("1"));
    net.crash("2");
    net.start(id("2"));
    net.give(id("2"), Input::Timer(Timer::Coordinator)); // the silence is over: it keeps no lease
    net.log.clear();
    net.give(id("2"), claim("3"));
    assert_eq!(net.log, ["2 REFUSE 3"]);
}
