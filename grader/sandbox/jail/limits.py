"""Bound what the worker can use up: processor time, memory, files, descriptors, threads."""

import math
import os
import resource
import time

from grader.sandbox.jail.settings import JailSettings


def limit_resources(settings: JailSettings, *, own_uid: bool) -> str:
    """
    Set the limits, soft and hard, so that the worker cannot raise them again.

    Memory and processor time are counted from what the process has already used: a zygote with torch holds hundreds
    of megabytes of address space. Both the private data and the whole address space are limited, since shared
    mappings escape the first.

    Args:
        settings: Where the limits are.
        own_uid: True if no other process has this user. Only then is the number of processes limited, since the
            kernel counts all of a user's.

    Returns:
        What is limited, in words.
    """
    wanted = {
        "CPU": math.ceil(time.process_time()) + settings.cpu_s,
        "FSIZE": settings.file_size_mb << 20,
        "NOFILE": settings.open_files,
        "CORE": 0,
        # Queues, locked memory and priorities: nothing that a worker needs.
        "MSGQUEUE": 0,
        "MEMLOCK": 0,
        "RTPRIO": 0,
        "NICE": 0,
    }
    done = ["processor time", "file size", "open files"]
    if os.path.exists("/proc/self/statm"):
        budget = settings.memory_mb << 20
        with open("/proc/self/statm", "rb", buffering=0) as file:
            pages = [int(field) for field in file.read().split()]
        wanted |= {name: pages[field] * resource.getpagesize() + budget for name, field in (("AS", 0), ("DATA", 5))}
        done.append("memory")
    if own_uid:
        wanted["NPROC"] = settings.threads
        done.append("threads")
    for name, value in wanted.items():
        if hasattr(resource, f"RLIMIT_{name}"):
            _limit(getattr(resource, f"RLIMIT_{name}"), value, grace=1 if name == "CPU" else 0)
    return ", ".join(done)


def _limit(kind: int, value: int, grace: int) -> None:
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
        grace = min(grace, hard - value)
    # At the soft limit of processor time a signal tells what happened; at the hard one the kernel kills.
    resource.setrlimit(kind, (value, value + grace))
