"""Exchange frames with a worker under a deadline, keeping what it prints apart."""

import os
import select
import socket
import time
from collections.abc import Callable
from typing import Any, Final

from grader.sandbox.wire import MAX_REPLY, PREFIX, ProtocolError, unpack_frame, unpack_prefix

_CHUNK: Final = 1 << 16
_WORTH_WAITING_S: Final = 0.01
"""Less time than this is not added to a deadline that has passed."""


class ChannelClosedError(Exception):
    """The other side is gone."""


class ChannelTimeoutError(Exception):
    """The deadline passed before the other side was done."""


def unpack_received(header: bytes, payload: bytes) -> Any:
    """
    Decode a frame of a worker.

    Raises:
        ProtocolError: Whatever is wrong with it.
    """
    try:
        return unpack_frame(header, payload)
    except (RuntimeError, TypeError, ValueError, OverflowError, MemoryError) as error:
        # torch refuses some sizes in its own words; to the caller that is the sender's fault all the same.
        raise ProtocolError(f"the frame cannot be read: {type(error).__name__}") from None


class Channel:
    """
    The trusted end of a worker's socket, and of the pipe that holds what it prints.

    Args:
        connection: The socket to the worker.
        output: Reading end of the worker's standard output and error.
        output_limit: How many bytes of output are kept; the rest is read, counted and dropped.
    """

    def __init__(self, connection: socket.socket, output: int, output_limit: int) -> None:
        connection.setblocking(False)  # noqa: FBT003 - positional only
        os.set_blocking(output, False)
        self._connection, self._output = connection, output
        self._output_limit = output_limit
        self._output_open = True
        self._muted = False
        self._received = bytearray()
        self._added_s = 0.0
        self.starved_s: Callable[[], float] = lambda: 0.0
        self.printed = bytearray()
        self.dropped = 0

    def send(self, frame: bytes, deadline: float) -> None:
        """Send a frame; ``deadline`` is on the monotonic clock."""
        rest = memoryview(frame)
        while rest:
            try:
                rest = rest[self._connection.send(rest) :]
            except BlockingIOError:
                self._wait(deadline, writing=True)
            except OSError:
                raise ChannelClosedError from None

    def receive(self, deadline: float) -> Any:
        """Receive one frame's value."""
        header_length, payload_length = unpack_prefix(self._read(PREFIX.size, deadline), MAX_REPLY)
        header = self._read(header_length, deadline)
        payload = self._read(payload_length, deadline)
        return unpack_received(header, payload)

    def mute(self) -> None:
        """Keep what was printed so far; what comes from now on is read and forgotten."""
        for _ in range(2 + self._output_limit // _CHUNK):  # bounded, since something may go on printing
            if not self._output_open or not select.select([self._output], [], [], 0)[0]:
                break
            self._drain()
        self._muted = True

    def close(self) -> None:
        """Read what is left of the output, and close both ends. The worker must have ended."""
        while self._output_open and select.select([self._output], [], [], 0)[0]:
            self._drain()
        self._connection.close()
        os.close(self._output)

    def _read(self, length: int, deadline: float) -> bytes:
        """Take bytes from what was received, receiving more as long as they do not suffice."""
        while len(self._received) < length:
            self._wait(deadline, writing=False)
            try:
                chunk = self._connection.recv(max(_CHUNK, length - len(self._received)))
            except BlockingIOError:
                continue
            except OSError:
                raise ChannelClosedError from None
            if not chunk:
                raise ChannelClosedError
            self._received += chunk
        data = bytes(self._received[:length])
        del self._received[:length]
        return data

    def _wait(self, deadline: float, *, writing: bool) -> None:
        """
        Wait until the socket is ready, emptying the output pipe meanwhile so that printing never blocks.

        What the machine was too busy to give the other end (``starved_s``, in all) comes on top of the deadline.
        """
        while True:
            left = deadline + self._added_s - time.monotonic()
            readers: list[Any] = [] if writing else [self._connection]
            if self._output_open:
                readers.append(self._output)
            ready, writable, _ = select.select(readers, [self._connection] if writing else [], [], max(0.0, left))
            if self._output in ready:
                self._drain()
            if self._connection in ready or writable:
                return  # also past the deadline, where it was this end that got no time to look
            if left <= 0:
                starved_s = self.starved_s()
                if starved_s < self._added_s + _WORTH_WAITING_S:
                    raise ChannelTimeoutError
                self._added_s = starved_s

    def _drain(self) -> None:
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return
        self._output_open = bool(data)
        if self._muted:
            return
        kept = max(0, self._output_limit - len(self.printed))
        self.printed += data[:kept]
        self.dropped += max(0, len(data) - kept)
