"""Lets a program lead that leaves the election to a node beside it: bully run -socket PATH, of the same machine.

    agent = Agent("/run/bully/jobs.sock")
    for reign in agent.reigns():
        while reign.valid():
            write(step(), fence=reign.epoch)

It needs nothing but Python 3.8. One file: copy it.
"""

import http.client
import json
import queue
import socket
import threading
import time
import urllib.parse


class AgentError(Exception):
    """The node cannot be reached, or refuses what was asked."""


def _now():
    """The time that goes on while the machine sleeps, where there is such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class _Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout=None):
        super().__init__("bully", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Agent:
    """Asks the node of a socket. silence is after how many seconds the node takes the program to be dead or stopped, and ends;
    progress, if it is given, how often Reign.progress must be called at least."""

    def __init__(self, path, silence=2.0, progress=None):
        self.path, self.silence, self._progress = path, silence, progress

    def reigns(self):
        """Yields each reign of the node, when it begins. When the loop asks for the next, the work of the last must have ended; if that
        reign goes on, the node resigns. While the loop runs the node takes part in elections; when it is left, another machine leads."""
        limits = {"hold": "true", "lease": f"{int(self.silence * 1000)}ms"}
        if self._progress is not None:
            limits["progress"] = f"{int(self._progress * 1000)}ms"
        connection, reign, why = _Connection(self.path), None, "it has ended"
        try:
            lines = _Lines(self._ask(connection, "GET", "/lead", limits))
            for said in lines:
                if said["leading"]:
                    reign = lines.reign = Reign(self, said)
                    if reign._begin():
                        yield reign
                    reign._end()
                else:
                    why = said.get("why", why)
            raise AgentError("the node leads for this program no longer: " + why)
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise AgentError(f"the node does not answer: does bully run -socket run here? {e}") from e
        finally:
            _shut(connection)
            if reign is not None:
                reign._end()

    def resign(self):
        """Has the node resign. Returns once what its programs do has ended. The highest node that runs leads again."""
        connection = _Connection(self.path, 15)
        try:
            self._ask(connection, "POST", "/resign", {}, (200, 409))
        except (OSError, http.client.HTTPException) as e:
            raise AgentError(f"the node does not answer: {e}") from e
        finally:
            connection.close()

    @staticmethod
    def _ask(connection, method, path, values, accepted=(200, 410)):
        connection.request(method, path + "?" + urllib.parse.urlencode(values))
        answer = connection.getresponse()
        if answer.status not in accepted:
            raise AgentError(f"the node says {answer.status}: {answer.read(1024).decode(errors='replace').strip()}")
        return answer


class _Lines:
    """What the node says of reigns, as it comes. The end of one is for it at once, while its work goes on."""

    def __init__(self, stream):
        self.reign, self._stream, self._read = None, stream, queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            for line in iter(self._stream.readline, b""):
                said = json.loads(line)
                if self.reign is not None:
                    self.reign._over.set()
                self._read.put(said)
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass
        if self.reign is not None:
            self.reign._over.set()
        self._read.put(None)

    def __iter__(self):
        return iter(self._read.get, None)


class Reign:
    """A reign of the node, in which this program leads. epoch is the fencing token: give it to the resource with each write.

    If the node is killed alone, nobody else leads until the work has ended, or the last lease has, or this program is dead: it holds the
    node's listening socket meanwhile, which lies unread on a connection."""

    def __init__(self, agent, said):
        self.epoch, self._term = said["epoch"], said["term"]
        self._held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._agent, self._deadline, self._wall = agent, 0.0, 0.0
        self._over, self._ended, self._lock = threading.Event(), threading.Event(), threading.Lock()

    def valid(self):
        """Whether this program may act right now. Who acts on what is not fenced asks before each act."""
        return self.left() > 0

    def left(self):
        """For how many seconds it may act at least."""
        with self._lock:
            return 0.0 if self._over.is_set() else max(0.0, min(self._deadline - _now(), self._wall - time.time()))

    def wait(self, seconds):
        """Sleeps, but not beyond the end of the reign. Returns valid()."""
        self._over.wait(seconds)
        return self.valid()

    def progress(self):
        """Says that the work has come further. Returns valid()."""
        return self._ask("POST", "/progress")

    def _ask(self, method, path):
        asked, wall = _now(), time.time()  # the lease is dated from before the question
        connection = _Connection(self._agent.path, max(0.01, self.left() or self._agent.silence))
        try:
            answer = Agent._ask(connection, method, path, {"term": self._term})
            if answer.status == 410:
                self._over.set()
                return False
            holds = json.loads(answer.read())["holds_ms"] / 1000
            with self._lock:
                self._deadline, self._wall = max(self._deadline, asked + holds), max(self._wall, wall + holds)
        except (OSError, http.client.HTTPException):
            pass  # what was granted holds yet
        finally:
            connection.close()
        return self.valid()

    def _begin(self):
        self._held.connect(self._agent.path)
        self._held.sendall(f"GET /hold?term={self._term} HTTP/1.1\r\nHost: bully\r\n\r\n".encode())  # and is never read from
        if not self._ask("GET", "/lease"):
            self._end()
            return False
        threading.Thread(target=self._keep, daemon=True).start()
        return True

    def _keep(self):
        while self.valid():
            if not self._over.wait(max(0.001, min(self.left() / 2, self._agent.silence / 3))):
                self._ask("GET", "/lease")
        self._over.set()
        while not self._ended.wait(max(0.0, self._deadline - _now())) and _now() < self._deadline:
            pass
        self._end()

    def _end(self):
        """Says that this program acts no more."""
        self._over.set()
        self._ended.set()
        self._held.close()


def _shut(connection):
    """Closes the connection, also for a thread that reads from it."""
    if connection.sock is not None:
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
    connection.close()
