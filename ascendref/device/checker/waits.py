"""Waits for events that had no effect, or did not wait for all that they may have been meant to."""

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple

from .ordering import HOST, Clock, Operation, Timeline, is_reached, precedes

#: waits of each kind that are remembered, the latest ones
_REMEMBERED: Final = 4096
#: records of an event after a wait that are remembered, the latest ones
_RECORDS: Final = 8


def late_records() -> deque[Operation]:
    """Return a list for the records of an event after waits that found none."""
    return deque(maxlen=_RECORDS)


@dataclass(eq=False, slots=True)
class WaitWithoutEffect:
    """A wait that found no record, or one that had taken the place of another."""

    event: int
    operation: Operation
    #: the record before, if nothing waited for it until it was overwritten or reset
    lost: Operation | None
    #: where the event's records from then on are listed; None if it waited for a record
    late: deque[Operation] | None

    @property
    def records(self) -> list[Operation]:
        """The records that it may have been meant for."""
        lost = [] if self.lost is None else [self.lost]
        return lost if self.late is None else lost + list(self.late)


class Explanation(NamedTuple):
    """Why two operations race although there was a wait."""

    wait: WaitWithoutEffect
    #: the record that it should have waited for; None if the event was not recorded at all
    record: Operation | None

    @property
    def late(self) -> bool:
        """Whether the event was recorded after the wait."""
        return self.record is not None and self.record is not self.wait.lost


class Waits:
    """The waits that may explain a race: by themselves, most are harmless.

    The first turn of a loop often waits for an event that its end records.
    """

    def __init__(self) -> None:
        #: those without effect
        self._early: deque[WaitWithoutEffect] = deque(maxlen=_REMEMBERED)
        #: those for a record that had taken the place of another
        self._forgetful: deque[WaitWithoutEffect] = deque(maxlen=_REMEMBERED)

    def add(self, wait: WaitWithoutEffect) -> None:
        """Remember a wait."""
        waits = self._forgetful if wait.late is None else self._early
        with suppress(IndexError):
            last = waits[-1]
            same = last.event == wait.event and last.late is wait.late is not None
            if same and last.operation.timeline is wait.operation.timeline:
                last.operation = wait.operation  # a program may ask again and again
                return
        waits.append(wait)

    def never_recorded(
        self, timeline: Timeline | None, known: Clock
    ) -> Iterator[WaitWithoutEffect]:
        """Forget and return the waits of a stream, or of all, for what was not recorded since.

        Those for records that the host knows to be reached are forgotten, too: whatever follows
        comes after these.
        """
        for wait in list(self._early):
            waiting = wait.operation.timeline
            if wait.late:
                gone = any([is_reached(record, known) for record in list(wait.late)])
            else:
                of_host = waiting.number == HOST or wait.operation.function is not None
                gone = not of_host and (timeline is None or timeline.number == waiting.number)
            if gone:
                with suppress(ValueError):
                    self._early.remove(wait)
                    if not wait.late:
                        yield wait

    def explanation(self, first: Operation, second: Operation) -> Explanation | None:
        """Return the wait that was meant to order two operations, or None."""
        found = self._between(first, second)
        # what a host function does may be seen after the tasks that come after it
        return self._between(second, first) if found is None and second.function else found

    def _between(self, first: Operation, second: Operation) -> Explanation | None:
        waits = [
            wait
            for wait in (*reversed(list(self._early)), *reversed(list(self._forgetful)))
            if precedes(wait.operation, second)
        ]
        # that of the stream itself says more than one that it came to know of
        stream = second.task.timeline.number
        waits.sort(key=lambda wait: wait.operation.timeline.number != stream)
        for wait in waits:
            after = [record for record in wait.records if precedes(first, record)]
            before = [record for record in wait.records if not precedes(first, record)]
            # a wait that was repeated is not to blame for what was recorded after that
            if after and not any([precedes(record, second) for record in before]):
                found = Explanation(wait, after[0])
                # another stream may have waited early for its own work, and may rightly have
                if not found.late or wait.operation.timeline.number in (stream, HOST):
                    return found
        # where an event was recorded after the first, what is missing is a wait for that one
        if first.task.timeline.last_record < first.task.index:
            for wait in waits:
                if not wait.records:
                    return Explanation(wait, None)
        return None
