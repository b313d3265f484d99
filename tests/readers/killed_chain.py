#!/usr/bin/env python3
"""Ends a run by SIGKILL and SIGTERM at random moments, takes it up again each time, and compares its end with a run in peace.

    killed_chain.py [--ends N] [--between LOW HIGH] [--seed S] RESULT.vtkhdf -- COMMAND ...

COMMAND must write RESULT.vtkhdf and take `--restart`. Chains of ends and restarts follow one another until N ends are done;
each chain goes on to the end of the run. LOW and HIGH are seconds from the start to the end; a run must get further in HIGH
than its start takes. The exit status is the number of chains that do not end with the history of the
undisturbed run, bit by bit (at most 100).
"""

import argparse
import pathlib
import random
import signal
import subprocess
import sys
import time

from faults import history, same


def main():
    """Runs the chains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ends", type=int, default=200)
    parser.add_argument("--between", type=float, nargs=2, default=(0.05, 0.5))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    path = args.result.resolve()
    path.unlink(missing_ok=True)
    subprocess.run(args.command, check=True, stdout=subprocess.DEVNULL)
    finished = history(path)
    ends = chains = failed = 0
    while ends < args.ends:
        path.unlink(missing_ok=True)
        chains, own, code = chains + 1, 0, None
        while code != 0:
            more = ["--restart"] if path.exists() else []
            child = subprocess.Popen([*args.command, *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(rng.uniform(*args.between))
            how = rng.choice([signal.SIGKILL, signal.SIGTERM])
            if child.poll() is None:
                child.send_signal(how)
                own += 1
            said = child.communicate()[1]
            code = child.returncode
            if code not in (0, 1, -signal.SIGKILL, -signal.SIGTERM) or (code == 1 and "interrupted" not in said):
                print(f"FAIL chain {chains}, end {own}: status {code}: {said.strip()[-300:]}", flush=True)
                failed += 1
                break
        ends += own
        if code == 0 and not same(history(path), finished):
            failed += 1
            print(f"FAIL chain {chains}: after {own} ends its history is another", flush=True)
    print(f"{ends} ends in {chains} chains, {chains - failed} of them as if there had been none")
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
