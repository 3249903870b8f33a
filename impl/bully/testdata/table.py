"""Reads the decision table, spec/table.md, row by row, as its page says that it is to be read."""

ANSWERS = "OK, ASSENT, GRANT, REFUSE, ACK"


class Table:
    def __init__(self, text, words):
        self.words = words  # of the code of spec/README.md: for what the table takes from the rules, such as who outranks whom
        self.tables = {}
        for part in text.split("\n## ")[1:]:
            heading, _, body = part.partition("\n")
            lines = [[cell.strip("` ") for cell in line[1:-1].split("|")] for line in body.split("\n") if line.startswith("| ")]
            self.tables[heading] = [dict(zip(lines[0], line)) for line in lines[1:]] if lines else []
        self.used = set()

    def rows(self, heading, **cells):
        """The rows of a table, numbered, that have these words in these cells."""
        for i, row in enumerate(self.tables[heading]):
            if all(row[name] == "any of these" or word in row[name].split(", ") for name, word in cells.items()):
                yield (heading, i), row

    def unused(self):
        """The rows that have answered nothing yet, as text."""
        return [heading + ": " + " | ".join(row.values()) for heading, rows in self.tables.items() if heading not in ("Questions", "Stale, but well formed")
                for i, row in enumerate(rows) if (heading, i) not in self.used]

    def on_message(self, s, m):
        """The step that a message makes, which is none that R34 ignores."""
        w = self.words
        m = m if m.conf is not None else m.but(conf=s.conf)
        s = w["adopted"](s, m.conf)
        refused = (s, [("REFUSE", m.sender)])
        if not w["meets"](m.sender, s.conf):
            asks = m.type in ("ELECTION", "CLAIM", "COORDINATOR", "HEARTBEAT", "IM_BACK")
            return self.sealed(refused if asks and w["newer"](s.conf, m.conf) else (s, []), s, m)
        higher, votes = w["outranked"](w["me"], m.sender, s.conf), w["may_vote"](s, m)
        if m.type == "CLAIM" and not votes:
            return self.sealed(refused, s, m)
        if m.type == "ELECTION" and not votes:
            t, _ = self.first(self.rows("IM_BACK"), s, m)
            answer = ["OK", "COORDINATOR"] if t.role == "leader" and not higher else ["REFUSE"]
            return self.sealed((t, [(type, m.sender) for type in answer]), s, m)
        if m.type == "ELECTION":
            rows = self.rows("ELECTION, from a higher node" if higher else "ELECTION, from a lower node")
        elif m.type in ANSWERS.split(", "):
            other = m.type != "REFUSE" and m.conf != s.conf
            rows = self.rows(ANSWERS, message="any of these" if other else m.type)
        else:
            rows = self.rows("COORDINATOR, HEARTBEAT" if m.type in ("COORDINATOR", "HEARTBEAT") else m.type)
        return self.sealed(self.first(rows, s, m), s, m)

    def on_input(self, s, name, conf=None):
        """The step of a timer that runs, a call or a start; None if there is none."""
        w = self.words
        if name in ("patience", "coordinator") and not w["may_stand"](s):
            says = [("IM_BACK", j) for j in self.all("IM_BACK", s)] if w["me"] in w["members"](s.conf) else []
            return self.sealed((s.but(role="follower", leader=None, support=set()), says), s)
        found = self.first(self.rows("Timers, calls, starts", input=name), s, conf=conf)
        return found and self.sealed(found, s)

    def first(self, rows, s, m=None, conf=None):
        """What the first row that fits says: the state after, and types and receivers of what is sent."""
        for key, row in rows:
            if self.fits(row, s, m, conf):
                self.used.add(key)
                return self.after(row, s, m, conf)
        return None

    def fits(self, row, s, m, conf):
        return (self.of_role(row["role"], s) and (m is None or self.of_epoch(row["e"] if "e" in row else "any", s, m.epoch))
                and any(self.of_lease(cell, s, m) for cell in row["lease"].split(", ")) and self.when(row.get("when", ""), s, m, conf))

    def of_role(self, cell, s):
        return cell in ("any", "") or (s.role != "leader" if cell == "not leader" else s.role in cell.split(", "))

    def of_epoch(self, cell, s, e):
        how, _, more = cell.partition(" ")
        mine = s.epoch + 1 if more else s.epoch
        return how == "any" or (e < mine and how in "<≤") or (e == mine and how in "=≤") or (e > mine and how == ">")

    def of_lease(self, cell, s, m):
        third = s.leader is not None and (m is None or s.leader != m.sender)
        outranked = self.words["outranked"]
        return {"any": lambda: True, "": lambda: True, "none": lambda: s.leader is None, "kept": lambda: s.leader is not None,
                "sender": lambda: s.leader == m.sender, "third": lambda: third,
                "lower": lambda: third and outranked(s.leader, m.sender, s.conf),
                "higher": lambda: third and not outranked(s.leader, m.sender, s.conf),
                "another node's": lambda: s.leader not in (None, self.words["me"]),
                "of a node that I outrank": lambda: third and outranked(s.leader, self.words["me"], s.conf)}[cell]()

    def when(self, cell, s, m, conf):
        w, me = self.words, self.words["me"]

        def quorum(more=frozenset()):
            return w["is_quorum"](s.support | {me} | more, s.conf)

        return {"": lambda: True, "quorum": quorum, "may claim": lambda: quorum() and s.epoch < w["MAX_EPOCH"],
                "quorum with the sender": lambda: quorum({m.sender}),
                "highest voter, may claim with the sender":
                    lambda: me == max(s.conf.voters) and max(s.epoch, m.epoch) < w["MAX_EPOCH"] and quorum({m.sender}),
                "sender outranks me": lambda: w["outranked"](me, m.sender, s.conf), "grantee not none": lambda: s.grantee is not None,
                "grantee none or sender": lambda: s.grantee in (None, m.sender), "R47": lambda: w["may_change"](s, conf)}[cell]()

    def after(self, row, s, m, conf):
        w, sender, e = self.words, m and m.sender, m and m.epoch
        learned = {"epoch": e, "grantee": None} if m and e > s.epoch else {}
        t = s.but(**{"·": {}, "learn": learned, "e, none": {"epoch": e, "grantee": None}, "e, sender": {"epoch": e, "grantee": sender},
                     "epoch + 1, me": {"epoch": s.epoch + 1, "grantee": w["me"]}, "0, none": {"epoch": 0, "grantee": None}}[row["epoch, grantee"]])
        t = t.but(role=s.role if row["→ role"] == "·" else row["→ role"], support={"·": s.support, "{}": set(), "{sender}": {sender}}.get(
            row["support"], s.support | {sender}), leader={"·": s.leader, "none": None, "sender": sender, "me": w["me"]}[row["leader"]])
        sent = [type.split(" ", 1) for type in row["sent"].split("; ") if type != "nothing"]
        if t.role == "claimant" != s.role and w["electors"](t.conf) == {w["me"]} and t.leader is None:  # it skips the claim
            t, sent = t.but(role="leader", epoch=t.epoch + 1, leader=w["me"], grantee=w["me"]), [["COORDINATOR", "all"]]
        if t.role == "leader" != s.role and not w["fixed"]:  # R48
            t = t.but(conf=t.conf.but(epoch=t.epoch))
        t = t.but(conf=conf) if conf else t
        return t, [(type, j) for type, *whom in sent for j in (self.all(type, t, s, whom[0]) if whom else [sender])]

    def all(self, type, t, s=None, whom="all"):
        w = self.words
        nodes = w["electors" if type in ("ELECTION", "CLAIM") else "members"](t.conf)
        if whom == "all, old and new":
            nodes = nodes | w["members"](s.conf)
        return sorted(nodes - {w["me"]} - (t.support if whom == "all but support" else set()))

    def sealed(self, step, s, m=None):
        """What is sent carries the epoch after the step, but for a CLAIM and the RESIGN of a hand-over."""
        t, sent = step
        epochs = {"CLAIM": t.epoch + 1, "RESIGN": s.epoch}
        conf = None if self.words["fixed"] else t.conf
        return t, [self.words["Message"](type, self.words["me"], j, epochs.get(type, t.epoch), conf) for type, j in sent]
