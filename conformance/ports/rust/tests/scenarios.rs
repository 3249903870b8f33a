//! Whole elections, told as they happen: nodes on perfect links, whose timers end when the scenario says so.

use bully::{Configuration, Effect, Epoch, Id, Input, Kind, Member, Members, Message, Node, Promise, Role, Timer};
use std::collections::{BTreeMap, VecDeque};

fn id(text: &str) -> Id {
    text.parse().expect("an id of R1")
}

/// Nodes, what their disks keep, and the messages under way.
#[derive(Default)]
struct Net {
    up: BTreeMap<Id, Node>,
    disks: BTreeMap<Id, Promise>,
    link: VecDeque<Message>,
    /// Who has sent what, in short: "3 CLAIM 1".
    log: Vec<String>,
}

impl Net {
    fn of(n: u32) -> Net {
        let ids: Vec<Id> = (1..=n).map(|i| id(&i.to_string())).collect();
        let members = Members::fixed(&ids).expect("ascending");
        let mut net = Net::default();
        for me in ids {
            net.start(me, members.clone());
        }
        net
    }

    /// Starts a node for the first time.
    fn start(&mut self, me: Id, members: Members) {
        let (node, effects) = Node::start(me, members).expect("a member");
        self.up.insert(me, node);
        self.obey(me, effects);
    }

    /// Starts a node with what its disk has kept.
    fn restart(&mut self, who: &str) {
        let (node, effects) = Node::restart(id(who), self.disks[&id(who)].clone()).expect("its record");
        self.up.insert(id(who), node);
        self.obey(id(who), effects);
    }

    fn crash(&mut self, who: &str) {
        self.up.remove(&id(who));
        self.link.retain(|m| m.from != id(who));
    }

    /// A leader goes over to a configuration.
    fn changes(&mut self, who: &str, to: Configuration) {
        let before = self.up[&id(who)].state().clone();
        self.give(id(who), Input::Change(to.into()));
        assert_ne!(*self.up[&id(who)].state(), before, "it may not change");
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
    net.ends("3", Timer::Patience);
    net
}

#[test]
fn three_nodes_elect_the_highest() {
    let mut net = Net::of(3);
    net.ends("1", Timer::Patience); // 1 asks; 2 and 3 say OK, and ask themselves; all assent to 3
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
    net.ends("2", Timer::Patience); // 3 is a member still: 2 is not the highest, and waits for T_elec
    net.ends("2", Timer::Election);
    net.led_by("2", "2");
}

#[test]
fn a_leader_that_returns_first_follows_and_then_takes_over_by_a_hand_over() {
    let mut net = settled();
    net.crash("3");
    net.ends("1", Timer::Patience); // without a proof of death the leases end by standing
    net.ends("2", Timer::Patience);
    net.ends("2", Timer::Election);
    net.led_by("2", "2");

    net.restart("3");
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
    net.crash("1");
    net.crash("2");
    net.ends("3", Timer::Reign);
    assert_eq!(net.up[&id("3")].state().role, Role::Follower);
}

#[test]
fn a_node_alone_leads_at_once_and_keeps_its_epochs_over_a_restart() {
    let mut net = Net::of(1);
    net.ends("1", Timer::Patience);
    net.ends("1", Timer::Election);
    net.led_by("1", "1");
    net.crash("1");
    net.restart("1");
    net.ends("1", Timer::Coordinator);
    net.led_by("1", "2");
    assert_eq!(net.log, [""; 0]);
}

#[test]
fn one_promise_an_epoch_even_over_a_crash() {
    let mut net = Net::of(3);
    let claim = |from: &str| {
        let epoch = bully::Epoch::ZERO.next().expect("an epoch");
        let (kind, question) = (bully::MessageType::Claim { names: None }, bully::Question::FIRST);
        Input::Message(Message { kind, from: id(from), to: id("2"), epoch, question, configuration: None })
    };
    net.give(id("2"), claim("1"));
    net.crash("2");
    net.restart("2");
    net.give(id("2"), Input::Timer(Timer::Coordinator)); // the silence is over: it keeps no lease
    net.log.clear();
    net.give(id("2"), claim("3"));
    assert_eq!(net.log, ["2 REFUSE 3"]);
}

/// The configuration of that epoch and version; `3` is a voter, `3w` a witness, `3o` an observer.
fn of(epoch: u64, version: u64, members: &[&str]) -> Configuration {
    let member = |word: &&str| {
        let (text, kind) = match (word.strip_suffix('w'), word.strip_suffix('o')) {
            (Some(text), _) => (text, Kind::Witness),
            (_, Some(text)) => (text, Kind::Observer),
            _ => (*word, Kind::Voter),
        };
        Member { id: id(text), kind, rank: 0, address: String::new() }
    };
    Configuration::new(Epoch::new(epoch).expect("an epoch"), version, members.iter().map(member).collect()).expect("a configuration")
}

/// Asserts that all who are up hold that configuration.
fn all_hold(net: &Net, configuration: Configuration) {
    let members = Members::changing(configuration);
    for (me, node) in &net.up {
        assert_eq!(node.state().members, members, "node {me}");
    }
}

/// Node 1 has founded a cluster alone, and 2 and 3 have joined it.
fn grown() -> Net {
    let mut net = Net::default();
    net.start(id("1"), Members::changing(of(0, 1, &["1"])));
    net.ends("1", Timer::Patience);
    net.ends("1", Timer::Election);
    let steps: [(&str, &[&str]); 4] = [("2", &["1", "2o"]), ("", &["1", "2"]), ("3", &["1", "2", "3o"]), ("", &["1", "2", "3"])];
    for ((joins, members), version) in steps.into_iter().zip(2..) {
        if !joins.is_empty() {
            net.start(id(joins), Members::changing(of(0, 0, &[])));
        }
        net.changes("1", of(1, version, members));
        net.settle(); // its HEARTBEAT is acknowledged by all: the configuration is settled
    }
    net
}

#[test]
fn a_cluster_grows_from_one_node() {
    let net = grown();
    net.led_by("1", "1");
    all_hold(&net, of(1, 5, &["1", "2", "3"]));
}

#[test]
fn a_node_that_was_removed_while_it_was_away_comes_to_rest() {
    let mut net = grown();
    net.ends("3", Timer::Preempt);
    net.led_by("3", "2");
    all_hold(&net, of(2, 5, &["1", "2", "3"])); // stamped with the epoch that it won
    net.crash("1");
    net.changes("3", of(2, 6, &["2", "3"]));
    net.settle();

    net.restart("1");
    net.settle(); // its IM_BACK is refused, and so it hears
    all_hold(&net, of(2, 6, &["2", "3"]));
    net.log.clear();
    net.ends("1", Timer::Coordinator);
    net.ends("1", Timer::Patience);
    assert_eq!(net.log, [""; 0]);
    assert_eq!(net.up[&id("3")].state().role, Role::Leader);
}

/// L14: without what the witness says, node 1 would ask its one fellow member, who is dead, for ever.
#[test]
fn a_witness_alone_holds_the_newest_configuration_and_says_so() {
    let mut net = Net::default();
    for who in ["1", "2"] {
        net.start(id(who), Members::changing(of(0, 1, &["1", "2"])));
    }
    net.ends("2", Timer::Patience);
    net.led_by("2", "1");
    net.start(id("3"), Members::changing(of(0, 0, &[])));
    net.changes("2", of(1, 2, &["1", "2", "3w"]));
    net.link.retain(|m| m.to == id("3")); // 1 does not hear of it, and its maker dies
    net.settle();
    net.crash("2");

    net.ends("1", Timer::Patience);
    net.ends("1", Timer::Election);
    assert_eq!(net.up[&id("1")].state().role, Role::Follower);

    net.ends("3", Timer::Patience);
    all_hold(&net, of(1, 2, &["1", "2", "3w"]));
    net.ends("1", Timer::Patience);
    net.ends("1", Timer::Election);
    net.led_by("1", "2");
    all_hold(&net, of(2, 2, &["1", "2", "3w"]));
}
