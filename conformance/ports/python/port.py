"""The port: answers the requests of a test kit, one JSON object a line, with what the nodes do.

    python3 conformance/ports/python/port.py

It reads requests from its standard input until `bye` or the end, and writes one reply to each to its standard output.
"""

from __future__ import annotations

import json
import os
import reprlib
import sys
import traceback
from collections.abc import Callable

from configuration import Configuration, Fixed
from fence import Resource
from ids import is_epoch, is_hold, is_number
from message import Malformed, Message
from node import Node
from step import Arm, Call, Cancel, Effect, Ignored, Over, Promise, Role, Save, Send, State, Tell, Timer

Json = dict[str, object]
VERSION = "2.0"
PROTOCOL = 1

_ROLES = {r.value: r for r in Role}
_TIMERS = {t.value: t for t in Timer}
_CALLS = {c.value: c for c in Call}


class BadRequest(ValueError):
    """The request is not of the form that its op has; the text says how."""


def effect_json(effect: Effect) -> Json:
    """An effect, as an object of one field."""
    match effect:
        case Send(message):
            return {"send": message.to_json()}
        case Arm(timer):
            return {"arm": timer}
        case Cancel(timer):
            return {"cancel": timer}
        case Save(promise):
            record: Json = {"epoch": promise.epoch, "grantee": promise.grantee, "reserved": promise.reserved}
            return {"save": with_configuration(record, promise.configuration)}
        case Tell(leader, epoch):
            return {"tell": {"leader": leader, "epoch": epoch}}
        case Over(epoch):
            return {"over": epoch}


def state_json(state: State) -> Json:
    """A state, its fields in the order of the specification."""
    fields: Json = {"role": state.role, "leader": state.leader, "lease": state.lease, "epoch": state.epoch,
                    "grantee": state.grantee, "support": state.support, "asked": state.asked, "latest": state.latest}
    if state.role is Role.LEADER:
        fields |= {"dated": state.dated, "answered": [{"node": k, "question": n} for k, n in state.answered]}
    return with_configuration(fields, state.configuration)


def with_configuration(fields: Json, configuration: Configuration | None) -> Json:
    """These fields, and the configuration as the last one, where members change."""
    return fields if configuration is None else fields | {"configuration": configuration.to_json()}


def field(request: Json, name: str) -> object:
    """The field of a request. BadRequest if it is missing."""
    if name not in request:
        raise BadRequest(f"the request has no field {name!r}")
    return request[name]


def name_of(request: Json, of: str) -> str:
    """The name of a node or resource. BadRequest if it is no string."""
    name = field(request, of)
    if not isinstance(name, str):
        raise BadRequest(f"field {of!r} must be a string")
    return name


def fields_of(request: Json, name: str, *names: str) -> list[object]:
    """The fields of an object within a request, and its configuration, if any. BadRequest if one is missing."""
    value = field(request, name)
    if not isinstance(value, dict):
        raise BadRequest(f"field {name!r} must be an object")
    configuration = Configuration.from_json(value["configuration"]) if "configuration" in value else None
    return [field(value, n) for n in names] + [configuration]


def promise_of(request: Json) -> Promise:
    """The promise of a request, whose ids the node will check."""
    epoch, grantee, reserved, configuration = fields_of(request, "promise", "epoch", "grantee", "reserved")
    if not is_epoch(epoch) or not is_number(reserved) or not isinstance(grantee, str | None):
        raise BadRequest("the promise is none (section 14)")
    return Promise(epoch, grantee, configuration, reserved)


def state_of(request: Json) -> State:
    """The state of a request, whose ids the node will check."""
    role, leader, lease, epoch, grantee, support, asked, latest, configuration = fields_of(
        request, "state", "role", "leader", "lease", "epoch", "grantee", "support", "asked", "latest")
    if not isinstance(role, str) or role not in _ROLES:
        raise BadRequest(f"{reprlib.repr(role)} is no role")
    if not is_epoch(epoch) or not isinstance(leader, str | None) or not isinstance(grantee, str | None):
        raise BadRequest("the state is none (section 6)")
    if not is_number(lease) or not is_number(asked) or not is_number(latest):
        raise BadRequest("a number of the state is none (R50)")
    if not isinstance(support, list) or not all(isinstance(id, str) for id in support):
        raise BadRequest("support must be a list of ids")
    dated, answered = answers_of(request) if role == Role.LEADER else (0, ())
    return State(_ROLES[role], leader, epoch, grantee, tuple(support), configuration, lease, asked, latest, dated, answered)


def answers_of(request: Json) -> tuple[int, tuple[tuple[str, int], ...]]:
    """What a leader alone has in its state (R25, R26)."""
    dated, answered, _ = fields_of(request, "state", "dated", "answered")
    if not is_number(dated) or not isinstance(answered, list):
        raise BadRequest("a leader says from when it is dated, and who has answered what")
    pairs = []
    for entry in answered:
        node, question = (entry.get("node"), entry.get("question")) if isinstance(entry, dict) else (None, None)
        if not isinstance(node, str) or not is_number(question):
            raise BadRequest("who has answered is a node, and a question (R25)")
        pairs.append((node, question))
    return dated, tuple(pairs)


class Port:
    """All nodes and resources of one case, by the names that the kit has made up for them."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.resources: dict[str, Resource] = {}
        self.ended = False
        self._ops: dict[object, Callable[[Json], Json]] = {
            "hello": self._hello, "reset": self._reset, "start": self._start, "restart": self._restart,
            "load": self._load, "receive": self._receive, "end": self._end, "call": self._call,
            "crash": self._crash, "write": self._write, "read": self._read, "bye": self._bye,
        }

    def answer(self, request: object) -> Json:
        """The reply to one request, whatever it is: no request ends the port by being wrong."""
        if not isinstance(request, dict):
            return {"id": None, "error": "a request is a JSON object"}
        reply: Json = {"id": request.get("id")}
        op = request.get("op")
        if not isinstance(op, str) or op not in self._ops:
            return reply | {"unsupported": f"no such op: {reprlib.repr(op)}"}
        try:
            reply |= self._ops[op](request)
        except ValueError as why:
            reply["error"] = str(why)
        except Exception as why:
            traceback.print_exc()
            reply["error"] = f"{type(why).__name__}: {why}"
        return reply

    def _hello(self, request: Json) -> Json:
        about = {"name": "bully-python", "version": VERSION, "language": "Python"}
        return {"port": about, "protocol": PROTOCOL, "features": ["fence", "members", "names"]}

    def _reset(self, request: Json) -> Json:
        self.nodes.clear()
        self.resources.clear()
        return {"ok": True}

    def _start(self, request: Json) -> Json:
        first = Configuration.from_json(request["configuration"]) if "configuration" in request else None
        node = self._new_node(request, first)
        effects = node.start()
        return self._put(request, node, effects)

    def _restart(self, request: Json) -> Json:
        promise = promise_of(request)
        node = self._new_node(request, Configuration() if promise.configuration else None)
        effects = node.restart(promise)
        return self._put(request, node, effects)

    def _load(self, request: Json) -> Json:
        state = state_of(request)
        node = self._new_node(request, Configuration() if state.configuration else None)
        node.load(state)
        self.nodes[name_of(request, "node")] = node
        return {"state": state_json(node.state)}

    def _receive(self, request: Json) -> Json:
        node = self._node(request)
        try:
            message = Message.from_json(field(request, "message"))
        except Malformed as why:
            return self._outcome(node, Ignored(str(why)))
        return self._outcome(node, node.receive(message))

    def _end(self, request: Json) -> Json:
        node, name = self._node(request), name_of(request, "timer")
        if name not in _TIMERS:
            return self._outcome(node, Ignored(f"{reprlib.repr(name)} is no timer (R35)"))
        return self._outcome(node, node.end(_TIMERS[name]))

    def _call(self, request: Json) -> Json:
        node, name = self._node(request), name_of(request, "call")
        if name == "change":
            return self._outcome(node, self._change(node, request))
        if name not in _CALLS:
            return self._outcome(node, Ignored(f"{reprlib.repr(name)} is no call"))
        if "names" in request and _CALLS[name] is Call.RESIGN:
            return self._outcome(node, self._resign(node, request))
        return self._outcome(node, node.call(_CALLS[name]))

    def _resign(self, node: Node, request: Json) -> list[Effect] | Ignored:
        names, hold = field(request, "names"), request.get("hold", 0)
        if not isinstance(names, str) or not is_hold(hold):
            return Ignored("who is named is no id, or the hold is none (R51)")
        return node.call(Call.RESIGN, names, hold)

    def _change(self, node: Node, request: Json) -> list[Effect] | Ignored:
        try:
            return node.change(Configuration.from_json(request.get("configuration")))
        except ValueError as why:
            return Ignored(f"{why} (R47)")

    def _crash(self, request: Json) -> Json:
        self.nodes.pop(name_of(request, "node"), None)
        return {"ok": True}

    def _write(self, request: Json) -> Json:
        name, value, epoch = name_of(request, "resource"), field(request, "value"), request.get("epoch", 0)
        if not is_epoch(epoch):
            raise BadRequest(f"{reprlib.repr(epoch)} is no epoch (R2, R38)")
        resource = self.resources.setdefault(name, Resource())
        admitted = resource.write(epoch, value)
        return {"admitted": admitted, "highest": resource.highest}

    def _read(self, request: Json) -> Json:
        resource = self.resources.get(name_of(request, "resource"), Resource())
        return {"value": resource.value, "highest": resource.highest}

    def _bye(self, request: Json) -> Json:
        self.ended = True
        return {"ok": True}

    def _new_node(self, request: Json, first: Configuration | None) -> Node:
        """A node that has not started: of fixed members if it has no configuration."""
        me = name_of(request, "me")
        if first is not None:
            return Node(me, first)
        members = field(request, "members")
        if not isinstance(members, list):
            raise BadRequest("field 'members' must be a list of ids")
        return Node(me, Fixed(members))

    def _node(self, request: Json) -> Node:
        name = name_of(request, "node")
        if name not in self.nodes:
            raise BadRequest(f"there is no node {reprlib.repr(name)}: start it first")
        return self.nodes[name]

    def _put(self, request: Json, node: Node, effects: list[Effect]) -> Json:
        """A new node takes its name only after its start has come out well."""
        self.nodes[name_of(request, "node")] = node
        return self._outcome(node, effects)

    def _outcome(self, node: Node, outcome: list[Effect] | Ignored) -> Json:
        if isinstance(outcome, Ignored):
            return {"ignored": outcome.reason, "state": state_json(node.state)}
        return {"effects": [effect_json(e) for e in outcome], "state": state_json(node.state)}


def integer(text: str) -> int | float:
    """A JSON integer. What the specification does not write so comes out as no integer: -0, or far too many digits."""
    return float(text) if len(text) > 20 or text == "-0" else int(text)


def once(pairs: list[tuple[str, object]]) -> object:
    """A JSON object; one that gives a field twice comes out as no object, so that it is refused wherever it stands."""
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else pairs


def serve(read: Callable[[], bytes], write: Callable[[bytes], object]) -> None:
    """Answer requests until `bye` or the end. `read` waits for some bytes, and gives none at the end.

    The replies to all lines that one read has brought are written at once: a kit that waits for each reply gets it at
    once, and one that sends many requests ahead does not pay for as many writes.
    """
    port = Port()
    decode = json.JSONDecoder(parse_int=integer, object_pairs_hook=once).decode
    encode = json.JSONEncoder(separators=(",", ":")).encode

    def reply_to(line: bytes) -> bytes:
        try:
            text = encode(port.answer(decode(line.decode())))
        except (ValueError, RecursionError) as why:
            text = encode({"id": None, "error": f"the line cannot be read: {why}"})
        return text.encode() + b"\n"

    rest = b""
    while not port.ended and (chunk := read()):
        *lines, rest = (rest + chunk).split(b"\n")
        replies = []
        for line in lines:
            replies.append(reply_to(line))
            if port.ended:
                break
        if replies:
            write(b"".join(replies))


def main() -> None:
    """Serve the standard streams."""
    out = sys.stdout.buffer

    def write(data: bytes) -> None:
        out.write(data)
        out.flush()

    serve(lambda: os.read(sys.stdin.fileno(), 1 << 16), write)


if __name__ == "__main__":
    main()
