"""Reads the decision table, spec/table.md, row by row, as its page says that it is to be read."""

ANSWERS = "OK, ASSENT, GRANT, REFUSE, ACK"


class Table:
    def __init__(self, text, words):
        self.words = words  # of the code of spec/code.md: for what the table takes from the rules, such as who outranks whom
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
        if m.type == "CLAIM" and w["meets"](m.sender, s.conf) and w["has_ended"](s, m):
            s = w["freed"](s)
        refused = (s, [("REFUSE", m.sender)])
        if not w["meets"](m.sender, s.conf):
            asks = m.type in ("ELECTION", "CLAIM", "COORDINATOR", "HEARTBEAT", "IM_BACK")
            return self.sealed(refused if asks and w["newer"](s.conf, m.conf) else (s, []), s, m)
        higher, votes = w["outranked"](w["me"], m.sender, s.conf), w["may_vote"](s, m)
        if m.type == "CLAIM" and not votes:
            return self.sealed(refused, s, m)
        if m.type == "RESIGN" and m.granted is not None:
            t, _ = self.first(self.rows("RESIGN"), s, m)
            if w["succeeds"](t, m.but(sender=m.granted.by)):
                return self.on_message(t, m.but(type="CLAIM", sender=m.granted.by, epoch=m.granted.epoch, question=m.granted.question))
        if m.type == "ELECTION" and not votes:
            t, _ = self.first(self.rows("IM_BACK"), s, m)
            answer = ["OK", "COORDINATOR"] if t.role == "leader" and not higher else ["REFUSE"]
            return self.sealed((t, [(type, m.sender) for type in answer]), s, m)
        if m.type == "ELECTION":
            rows = self.rows("ELECTION, from a higher node" if higher else "ELECTION, from a lower node")
        elif m.type in ANSWERS.split(", "):
            rows = self.rows(ANSWERS, message=m.type)
        else:
            rows = self.rows("COORDINATOR, HEARTBEAT" if m.type in ("COORDINATOR", "HEARTBEAT") else m.type)
        return self.sealed(self.first(rows, s, m), s, m)

    def on_input(self, s, name, conf=None, names=None):
        """The step of a timer that runs, a call or a start; None if there is none."""
        w = self.words
        if names is not None and not w["may_name"](s, names):
            return None
        if name in ("patience", "coordinator") and not w["may_stand"](s):
            says = [("IM_BACK", j) for j in self.all("IM_BACK", s)] if w["me"] in w["members"](s.conf) else []
            return self.sealed((s.but(role="follower", leader=None, lease=0, support=set(), asked=0), says), s)
        found = self.first(self.rows("Timers, calls, starts", input=name), s, conf=conf)
        return found and self.sealed(found, s, names=names)

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
        third = s.leader not in (None, self.words["me"]) and (m is None or s.leader != m.sender)
        later = m is not None and s.leader == m.sender and m.type in ("ELECTION", "RESIGN", "IM_BACK") and m.question < s.lease
        outranked = self.words["outranked"]
        return {"any": lambda: True, "": lambda: True, "none": lambda: s.leader is None, "kept": lambda: s.leader is not None,
                "sender": lambda: s.leader == m.sender and not later, "later": lambda: later,
                "own": lambda: s.leader == self.words["me"], "third": lambda: third,
                "lower": lambda: third and outranked(s.leader, m.sender, s.conf),
                "higher": lambda: third and not outranked(s.leader, m.sender, s.conf),
                "another node's": lambda: s.leader not in (None, self.words["me"]),
                "of a node that I outrank": lambda: third and outranked(s.leader, self.words["me"], s.conf)}[cell]()

    def when(self, cell, s, m, conf):
        w, me = self.words, self.words["me"]

        def quorum(more=frozenset()):
            return w["is_quorum"](s.support | {me} | more, s.conf)

        if cell.startswith("asked"):
            return m.question == s.asked and self.when(cell.removeprefix("asked").removeprefix("; "), s, m, conf)
        return {"": lambda: True, "quorum": quorum, "may claim": lambda: quorum() and s.epoch < w["MAX_EPOCH"],
                "quorum with the sender": lambda: quorum({m.sender}),
                "highest voter, may claim with the sender":
                    lambda: me == w["highest"](s.conf.voters, s.conf) and (max(s.epoch, m.epoch) if s.leader is None else s.epoch) < w["MAX_EPOCH"]
                    and quorum({m.sender}),
                "names me": lambda: w["is_named"](s, w["release"](s, m), m),
                "sender outranks me": lambda: w["outranked"](me, m.sender, s.conf),
                "I am not outranked": lambda: not w["outranked"](me, m.sender, s.conf),
                "not above my latest": lambda: m.question <= s.latest,
                "keeps the same": lambda: m.keeps == s.leader, "grantee not none": lambda: s.grantee is not None,
                "grantee none or sender": lambda: s.grantee in (None, m.sender), "R47": lambda: w["may_change"](s, conf)}[cell]()

    def after(self, row, s, m, conf):
        w, sender, e = self.words, m and m.sender, m and m.epoch
        learned = {"epoch": e, "grantee": None} if m and e > s.epoch else {}
        t = s.but(**{"·": {}, "learn": learned, "e, none": {"epoch": e, "grantee": None}, "e, sender": {"epoch": e, "grantee": sender},
                     "epoch + 1, me": {"epoch": s.epoch + 1, "grantee": w["me"]}, "0, none": {"epoch": 0, "grantee": None}}[row["epoch, grantee"]])
        t = t.but(role=s.role if row["→ role"] == "·" else row["→ role"], support={"·": s.support, "{}": set(), "{sender}": {sender}}.get(
            row["support"], s.support | {sender}), leader={"·": s.leader, "none": None, "sender": sender, "me": w["me"]}[row["leader"]])
        sent = [type.split(" ", 1) for type in row["sent"].split("; ") if type != "nothing"]
        t = self.numbered(row, s, m, t)
        if t.role == "claimant" != s.role and w["electors"](t.conf) == {w["me"]} and t.leader is None:  # it skips the claim
            t, sent = t.but(role="leader", epoch=t.epoch + 1, leader=w["me"], grantee=w["me"], dated=t.asked, asked=0), [["COORDINATOR", "all"]]
        if t.role == "leader" != s.role and not w["fixed"]:  # R48
            t = t.but(conf=t.conf.but(epoch=t.epoch))
        t = t.but(conf=conf) if conf else t
        t = self.dated(row, s, m, t)
        return t, [(type, j) for type, *whom in sent for j in (self.all(type, t, s, whom[0]) if whom else [sender])]

    def numbered(self, row, s, m, t):
        """The lease, and the number that is asked."""
        sent = row["sent"].split("; ")
        if t.leader in (None, self.words["me"]):
            t = t.but(lease=0)
        elif sent[0] in ("GRANT", "ACK"):
            t = t.but(lease=max(m.question, s.lease if s.leader == m.sender else 0))
        t = t.but(asked=0) if row["support"] == "{}" else t
        if row.get("input") == "restart":
            t = t.but(latest=-(-t.latest // 2**20) * 2**20)
        if {"ELECTION all", "CLAIM all", "HEARTBEAT all", "HEARTBEAT all, old and new"} & set(sent) or row.get("input") in ("start", "restart"):
            t = t.but(latest=t.latest + 1)
        return t.but(asked=t.latest) if {"ELECTION all", "CLAIM all"} & set(sent) else t

    def dated(self, row, s, m, t):
        """From when a reign is dated, and what has been answered in it."""
        if t.role != "leader":
            return t.but(dated=0, answered={})
        if s.role != "leader":
            backers = s.support | ({m.sender} if "sender" in row.get("when", "") else set())
            return t if t.dated else t.but(dated=s.asked, answered={k: s.asked for k in backers})
        if row.get("message") != "ACK" and "HEARTBEAT all" not in row["sent"]:
            return t
        answered = {k: n for k, n in s.answered.items() if k in self.words["members"](t.conf)}
        if row.get("message") == "ACK":
            answered[m.sender] = max(m.question, answered.get(m.sender, 0))
            t = t if m.conf == s.conf else t.but(support=s.support)
        asked = sorted({s.dated, t.latest, *answered.values()}, reverse=True)
        backed = [n for n in asked if self.words["is_quorum"]({self.words["me"]} | {k for k in answered if answered[k] >= n}, t.conf)]
        return t.but(answered=answered, dated=max([s.dated] + backed))

    def all(self, type, t, s=None, whom="all"):
        w = self.words
        nodes = w["electors" if type in ("ELECTION", "CLAIM") else "members"](t.conf)
        if whom == "all, old and new":
            nodes = nodes | w["members"](s.conf)
        return sorted(nodes - {w["me"]} - (t.support if whom == "all but support" else set()))

    def sealed(self, step, s, m=None, names=None):
        """What is sent carries the epoch after the step, but for a CLAIM and the RESIGN of a hand-over."""
        t, sent = step
        epochs = {"CLAIM": t.epoch + 1, "RESIGN": s.epoch}
        conf = None if self.words["fixed"] else t.conf
        said = []
        for type, j in sent:
            question = m.question if type in ANSWERS.split(", ") else t.asked if type in ("ELECTION", "CLAIM") else t.latest
            keeps = t.leader if type == "ELECTION" else None
            granted = self.words["Granted"](by=m.sender, epoch=m.epoch, question=m.question) if type == "RESIGN" and m else None
            named = m.sender if type == "CLAIM" and m and m.type == "RESIGN" and s.role != "claimant" else names
            said.append(self.words["Message"](type, self.words["me"], j, epochs.get(type, t.epoch), question, keeps, granted, named, conf))
        return t, said
