package selftest

// limits returns mutants that show only at the limits of what is asked: many members, long lines, high ids, what is almost right.
func limits() []Mutant {
	const typed = "if not isinstance(kind, str) or kind not in _TYPES:"
	like := func(test string) string {
		return "kind = next((t for t in _TYPES if isinstance(kind, str) and " + test + "), kind)\n        " + typed
	}
	return []Mutant{
		{"quorum-of-a-table", "a quorum is what the table says, which ends at seven members", "bully.py",
			"return 2 * len((self.support | {self.me}) & electors) > len(electors)", "return len((self.support | {self.me}) & electors) >= min(len(electors) // 2 + 1, 4)", rules("R3")},
		{"compares-32-bits", "which epoch is higher is the sign of their difference in 32 bits", "bully.py",
			"free = m.epoch > self.epoch or (m.epoch ==", "free = 0 < (m.epoch - self.epoch) % 2**32 < 2**31 or (m.epoch ==", rules("R2", "R17")},
		{"ok-of-the-lower", "an OK of a lower node does not count", "bully.py",
			"if self.role in (Role.CANDIDATE, Role.ELECTING):\n            self.role = Role.ELECTING",
			"if self.role in (Role.CANDIDATE, Role.ELECTING) and self._outranks(m.sender, self.me):\n            self.role = Role.ELECTING", rules("R12")},
		{"ids-in-capitals", "a UUID may be in capitals", "message.py",
			"value[\"from\"], value[\"to\"], value", "*(i.lower() if isinstance(i, str) else i for i in (value[\"from\"], value[\"to\"])), value", rules("R33", "R1")},
		{"ids-in-braces", "a UUID may be in braces", "message.py",
			"value[\"from\"], value[\"to\"], value", "*(i.strip(\"{}\") if isinstance(i, str) else i for i in (value[\"from\"], value[\"to\"])), value", rules("R33", "R1")},
		{"types-that-begin-so", "the beginning of a type will do", "message.py", typed, like("kind and t.startswith(kind)"), rules("R33", "R34")},
		{"types-that-go-on", "a type may have more behind it", "message.py", typed, like("kind.startswith(t)"), rules("R33", "R34")},
		{"types-with-blanks", "a type may have blanks before it", "message.py", typed, like("kind.lstrip() == t"), rules("R33", "R34")},
		{"crashed-nodes-go-on", "a crash is nothing to the node", "port.py", "self.nodes.pop(name_of(request, \"node\"), None)", "name_of(request, \"node\")", rules("")},
		{"no-such-timer", "a timer that there is not is an error", "port.py",
			"return self._outcome(node, Ignored(f\"{reprlib.repr(name)} is no timer (R35)\"))", "raise BadRequest(\"no such timer\")", rules("R35")},
		{"no-such-call", "a call that there is not is an error", "port.py",
			"return self._outcome(node, Ignored(f\"{reprlib.repr(name)} is no call\"))", "raise BadRequest(\"no such call\")", rules("R28", "R41")},
		{"fence-bad-epoch-is-0", "a write whose epoch is none is one of epoch 0", "port.py",
			"raise BadRequest(f\"{reprlib.repr(epoch)} is no epoch (R2, R38)\")", "epoch = 0", rules("R38")},
		{"fence-dies-with-a-node", "a crash of a node forgets the resources", "port.py",
			"self.nodes.pop(name_of(request, \"node\"), None)", "self.nodes.pop(name_of(request, \"node\"), None), self.resources.clear()", rules("R38")},
		{"fence-begins-with-a-node", "a start of a node forgets the resources", "port.py",
			"effects = node.start()", "effects = self.resources.clear() or node.start()", rules("R38")},
		{"fence-cuts-values", "a value is cut to 64 letters", "fence.py", "= epoch, value", "= epoch, str(value)[:64]", rules("R38")},
		{"fence-of-32-bits", "the fence compares 32 bits", "fence.py", "epoch < self.highest", "epoch % 2**32 < self.highest % 2**32", rules("R38", "R2")},
		{"requests-in-32-bits", "ids of requests are kept in 32 bits", "port.py",
			"{\"id\": request.get(\"id\")}", "{\"id\": (int(request.get(\"id\", 0)) + 2**31) % 2**32 - 2**31}", rules("")},
		{"lines-of-64-kib", "a line is cut at 64 KiB", "port.py", "replies.append(reply_to(line))", "replies.append(reply_to(line[:1 << 16]))", rules("", "R33", "R34")},
		{"states-of-five-fields", "a state with a field more is an error", "port.py",
			"return [field(value, n) for n in names]", "return [field(value, n) for n in names if len(value) == len(names)]", rules("")},
		{"answers-after-bye", "it answers what follows bye", "port.py", "            if port.ended:\n                break\n", "", rules("")},
		{"answers-a-tail", "it answers a last line that was cut short", "port.py",
			"            write(b\"\".join(replies))\n", "            write(b\"\".join(replies))\n    if rest:\n        write(reply_to(rest))\n", rules("")},
	}
}
