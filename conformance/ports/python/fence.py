"""The fence of a resource that only a leader may write to (R38)."""

from __future__ import annotations

from message import is_epoch


class Resource:
    """One value, and the highest epoch that has been admitted.

    This one lives in memory. A real resource keeps both on disk, and checks, raises and writes in one step that a
    crash does whole or not at all.
    """

    def __init__(self) -> None:
        self.value: object = ""
        self.highest = 0

    def write(self, epoch: object, value: object) -> bool:
        """Write if the epoch is at least the highest admitted; whether that was done. What is no epoch is refused."""
        if not is_epoch(epoch) or epoch < self.highest:
            return False
        self.highest, self.value = epoch, value
        return True
