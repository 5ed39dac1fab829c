"""`tsr`, or `python -m orchestrator`."""

import importlib
import signal


def main() -> None:
    # The command line takes a second to import. Until it can catch Ctrl-C, the signal ends the
    # process by itself instead of in a traceback through half-imported modules.
    usual = signal.signal(signal.SIGINT, signal.SIG_DFL)
    command_line = importlib.import_module("orchestrator.cli")
    signal.signal(signal.SIGINT, usual)
    command_line.main()


if __name__ == "__main__":
    main()
