"""A clock that a test sets."""


class Clock:
    """Seconds, as `time.monotonic` gives them; they stand still until `now` is changed."""

    now = 100.0

    def __call__(self) -> float:
        return self.now
