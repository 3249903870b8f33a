package selftest

import "slices"

// members returns mutants of what a node of changing members does besides: R42 to R49.
func members() []Mutant {
	return slices.Concat(configurations(), adopting(), kinds(), changes())
}

// configurations returns mutants of what a configuration is, and of where it is kept.
func configurations() []Mutant {
	return []Mutant{
		{"counts-observers", "an observer counts in a quorum", "bully.py",
			"electors = self.configuration.electors\n", "electors = self.configuration.ids\n", rules("R42")},
		{"newer-by-version-alone", "of two configurations the one of the higher version is newer", "configuration.py",
			"return (self.epoch, self.version) > (than.epoch, than.version)", "return self.version > than.version", rules("R42", "R43")},
		{"saves-no-configuration-alone", "a configuration is saved only if the promise changes too", "step.py",
			"if (after.epoch, after.grantee, after.configuration) !=", "if (after.epoch, after.grantee, before.configuration) !=", rules("R42", "R4", "R43")},
		{"saves-the-old-configuration", "what is saved has the configuration before the step", "step.py",
			"after.grantee, after.configuration))", "after.grantee, before.configuration))", rules("R42", "R4", "R43")},
		{"restart-forgets", "after a restart a node knows nobody", "node.py",
			"configuration=promise.configuration)", "configuration=promise.configuration and type(promise.configuration)())", rules("R49", "R30")},
		{"joins-impatiently", "a node that is to join runs a timer", "node.py",
			"*map(Arm, self._running(self.state))]", "Arm(Timer.HEARTBEAT)]", rules("R49", "R46", "R36")},
		{"fifty-one-members", "a configuration may have more than 50 members", "configuration.py",
			"MAX_MEMBERS = 50", "MAX_MEMBERS = 56", rules("R42", "R33")},
		{"larger-than-a-message", "a configuration may be larger than a message", "configuration.py",
			"MAX_BYTES = 1024", "MAX_BYTES = 1025", rules("R42", "R33")},
		{"same-member-twice", "a member may be there twice", "configuration.py",
			"if above <= below:", "if above < below:", rules("R42", "R33", "R1")},
		{"no-voter-needed", "a configuration needs no voter", "configuration.py",
			"if not self.voters:", "if False:", rules("R42", "R33")},
		{"empty-addresses", "an address may be empty", "configuration.py",
			"if address == \"\" and \"address\" in value:", "if False:", rules("R42", "R33")},
		{"addresses-with-blanks", "an address may have blanks in it", "configuration.py",
			"[!#-%", "[ !#-%", rules("R42", "R33")},
		{"configuration-of-later", "the configuration of a message may be of a later epoch", "message.py",
			"if configuration.epoch > epoch:", "if False:", rules("R42", "R33")},
		{"mixes-clusters", "a node of fixed members takes a message that has a configuration, and one of changing members a message that has none", "node.py",
			"if self._is_of_the_other_sort(message.configuration):", "if False:", rules("R34", "R42")},
	}
}

// adopting returns mutants of what a node does with another's configuration.
func adopting() []Mutant {
	return []Mutant{
		{"adopts-any", "it adopts whatever configuration it hears of, an older one too", "bully.py",
			"if theirs.newer(self.configuration):", "if theirs != self.configuration:", rules("R43", "R42", "R45")},
		{"adopts-nothing", "it keeps the configuration that it has", "bully.py",
			"if theirs.newer(self.configuration):", "if False:", rules("R43", "R42")},
		{"adopts-from-members-alone", "it adopts a configuration from members of its own only", "bully.py",
			"if theirs.newer(self.configuration):", "if theirs.newer(self.configuration) and m.sender in self.others:", rules("R43", "R44")},
		{"adopts-without-resting", "a candidate that adopts stands on", "bully.py",
			"if self.role in (Role.CANDIDATE, Role.CLAIMANT):", "if self.role is Role.CLAIMANT:", rules("R43")},
		{"adopts-and-claims-on", "a claimant that adopts claims on", "bully.py",
			"if self.role in (Role.CANDIDATE, Role.CLAIMANT):", "if self.role is Role.CANDIDATE:", rules("R43")},
		{"adopts-without-learning", "the epoch of a configuration that is adopted is not learned", "bully.py",
			"        self._learn(newer.epoch)\n", "", rules("R43", "R7", "R44")},
		{"adopts-and-keeps-support", "support that was given in the older configuration is kept", "bully.py",
			"        self.support = set()\n        self._configure(newer)", "        self._configure(newer)", rules("R43")},
		{"sends-the-old-configuration", "what is sent has the configuration before the step", "step.py",
			"effects += map(Send, sent)", "effects += [Send(type(m)(m.type, m.sender, m.to, m.epoch, before.configuration)) for m in sent]", rules("R43", "R47", "R48")},
		{"meets-anybody", "it takes the messages of who is no member", "bully.py",
			"if not {self.me, m.sender} <= self.configuration.ids:", "if self.me not in self.configuration.ids:", rules("R44")},
		{"takes-part-when-removed", "it takes messages though it is no member itself", "bully.py",
			"if not {self.me, m.sender} <= self.configuration.ids:", "if m.sender not in self.configuration.ids:", rules("R44", "R43")},
		{"never-tells-the-removed", "who is no member, and asks, hears nothing", "bully.py",
			"if m.type in _ASKS and self.configuration.newer(theirs):", "if False:", rules("R44")},
		{"always-tells-the-removed", "who is no member, and asks, is answered though it knows", "bully.py",
			"if m.type in _ASKS and self.configuration.newer(theirs):", "if m.type in _ASKS:", rules("R44")},
		{"answers-what-asks-nothing", "who is no member is answered whatever it says", "bully.py",
			"if m.type in _ASKS and self.configuration.newer(theirs):", "if self.configuration.newer(theirs):", rules("R44")},
		{"counts-answers-to-another", "OK, ASSENT, GRANT and ACK of another configuration count", "bully.py",
			"elif m.type in _ANSWERS and not self._counts(m):", "elif False:", rules("R45", "R43")},
		{"counts-old-acks", "an ACK of another configuration counts", "bully.py",
			"elif m.type in _ANSWERS and not self._counts", "elif m.type in _ANSWERS and m.type is not MessageType.ACK and not self._counts", rules("R45", "R47")},
	}
}

// kinds returns mutants of what voters, witnesses and observers do.
func kinds() []Mutant {
	return []Mutant{
		{"votes-across-configurations", "it votes for who has an older configuration", "bully.py",
			"m.sender in self.configuration.voters and self._counts(m)", "m.sender in self.configuration.voters", rules("R45")},
		{"votes-for-a-witness", "it votes for who is no voter", "bully.py",
			"m.sender in self.configuration.voters and self._counts(m)", "self._counts(m)", rules("R45")},
		{"observer-votes", "an observer votes", "bully.py",
			"return self.me in self.configuration.electors and", "return self.me in self.configuration.ids and", rules("R45")},
		{"witness-votes-not", "a witness does not vote", "bully.py",
			"return self.me in self.configuration.electors and", "return self.me in self.configuration.voters and", rules("R45", "R46")},
		{"witness-stands", "a witness stands when its patience ends", "bully.py",
			"if self.me in self.configuration.voters:\n            self._ask", "if self.me in self.configuration.electors:\n            self._ask", rules("R46")},
		{"silent-members", "a member that may not stand says nothing", "bully.py",
			"        if self.me in self.configuration.ids:\n            self._send_all(MessageType.IM_BACK", "        if False:\n            self._send_all(MessageType.IM_BACK", rules("R46")},
		{"removed-speaks", "who is no member says IM_BACK when its patience ends", "bully.py",
			"        if self.me in self.configuration.ids:\n            self._send_all(MessageType.IM_BACK", "        if True:\n            self._send_all(MessageType.IM_BACK", rules("R46")},
		{"speaks-to-electors-alone", "IM_BACK goes to electors only", "bully.py",
			"_ASKS_FOR_VOTES = {", "_ASKS_FOR_VOTES = {MessageType.IM_BACK, ", rules("R46", "R49", "R30")},
		{"tells-electors-alone", "COORDINATOR, HEARTBEAT and RESIGN go to electors only", "bully.py",
			"for other in self.voting if kind in _ASKS_FOR_VOTES else self.others:", "for other in self.others if kind is MessageType.IM_BACK else self.voting:", rules("R46")},
		{"asks-observers", "votes are asked of observers too", "bully.py",
			"for other in self.voting if kind in _ASKS_FOR_VOTES else self.others:", "for other in self.others:", rules("R46")},
		{"witness-is-not-outranked", "a voter is to lead rather than a witness only if it is higher", "configuration.py",
			"return b not in self.voters or self._place[a] > self._place[b]", "return rank(a) > rank(b)", rules("R46")},
		{"waits-for-higher-witnesses", "the highest voter waits for a witness that is higher", "configuration.py",
			"max(self.voters, key=rank", "max(self.electors, key=rank", rules("R46", "R13", "R42")},
		{"removed-is-impatient", "who is no member runs a timer, though it keeps no lease", "bully.py",
			"if s.role is Role.FOLLOWER and s.leader is None and self.me not in c.ids:", "if False:", rules("R46", "R36")},
		{"observer-is-patient", "an observer without a lease runs no timer", "bully.py",
			"s.leader is None and self.me not in c.ids:", "s.leader is None and self.me not in c.electors:", rules("R46", "R36")},
		{"witness-pre-empts", "a witness pre-empts a lower leader", "bully.py",
			"s.leader is not None and self.me in c.voters and", "s.leader is not None and self.me in c.electors and", rules("R46", "R36")},
		{"speaks-once", "a member that may not stand is not impatient again", "step.py",
			"or t in anew or", "or t in anew and t is not Timer.HEARTBEAT or", rules("R46", "R36")},
	}
}

// changes returns mutants of how a leader changes the configuration, and of who wins.
func changes() []Mutant {
	return []Mutant{
		{"anybody-changes", "who does not lead changes the configuration", "bully.py",
			"if self.role is not Role.LEADER:", "if self.role is Role.FOLLOWER:", rules("R47")},
		{"skips-versions", "a change may leave versions out", "bully.py",
			"(c.epoch, c.version) != (self.epoch, own.version + 1):", "c.epoch != self.epoch or c.version <= own.version:", rules("R47")},
		{"changes-of-another-reign", "a change may be of another reign", "bully.py",
			"(c.epoch, c.version) != (self.epoch, own.version + 1):", "c.version != own.version + 1:", rules("R47")},
		{"changes-unsettled", "a change need not wait until the one before is settled", "bully.py",
			"if not self._has_quorum():", "if False:", rules("R47")},
		{"two-at-once", "a change may be of two members", "bully.py",
			"if len(own.differing(c)) != 1:", "if len(own.differing(c)) not in (1, 2):", rules("R47")},
		{"changes-nothing", "a change may be of no member", "bully.py",
			"if len(own.differing(c)) != 1:", "if len(own.differing(c)) > 1:", rules("R47")},
		{"addresses-are-nothing", "another address is no change", "configuration.py",
			"{m.id for m in {*self.members} ^ {*other.members}}", "{id for id, _ in {m[:2] for m in self.members} ^ {m[:2] for m in other.members}}", rules("R47")},
		{"removes-itself", "a leader removes itself", "bully.py",
			"return \"\" if self.me in c.electors else", "return \"\" if self.me in c.electors or self.me not in c.ids else", rules("R47")},
		{"observes-its-own-reign", "a leader makes itself an observer", "bully.py",
			"return \"\" if self.me in c.electors else", "return \"\" if self.me in c.ids else", rules("R47")},
		{"settled-by-older-acks", "the support of the configuration before settles the new one", "bully.py",
			"        self.support = set()\n        self._configure(c)", "        self._configure(c)", rules("R47")},
		{"removes-in-silence", "who is removed is not told", "bully.py",
			"sorted(told | {*self.others}, key=rank)", "self.others", rules("R47", "R46")},
		{"tells-as-text", "a change is told in the order of texts", "bully.py",
			"sorted(told | {*self.others}, key=rank)", "sorted(told | {*self.others})", rules("R47", "R42", "R1")},
		{"change-is-no-check", "the quorum timer goes on when the configuration changes", "node.py",
			"anew=[Timer.QUORUM, Timer.BEAT])", "anew=[Timer.BEAT])", rules("R47", "R36")},
		{"change-malformed", "a change to what is no configuration is an error", "port.py",
			"except ValueError as why:\n            return Ignored(f\"{why} (R47)\")", "except KeyError as why:\n            return Ignored(f\"{why} (R47)\")", rules("R47")},
		{"stamps-nothing", "the winner's configuration keeps its epoch", "bully.py",
			"        self._configure(self.configuration.at(self.epoch + 1))\n", "", rules("R48")},
		{"stamps-as-it-claims", "a claimant stamps before it has won", "bully.py",
			"nothing before it wins.\"\"\"", "nothing before it wins.\"\"\"\n        self._configure(self.configuration.at(self.epoch))", rules("R48", "R16", "R13", "R14", "R15")},
	}
}
