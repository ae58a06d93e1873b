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
    sizes = _sizes()
    if sizes:
        wanted |= {name: size + (settings.memory_mb << 20) for name, size in sizes.items()}
        done.append("memory")
    if own_uid:
        wanted["NPROC"] = settings.threads
        done.append("threads")
    for name, value in wanted.items():
        if hasattr(resource, f"RLIMIT_{name}"):
            _limit(getattr(resource, f"RLIMIT_{name}"), value, grace=1 if name == "CPU" else 0)
    return ", ".join(done)


def limit_grader_memory(budget_mb: int) -> None:
    """
    Bound the private memory of the process that grades, where the system can: an answer may be made to explode.

    A suite that pairs each entry of a forged answer with each other would otherwise take what the machine has, and
    the kernel would end it. With a limit it fails in torch's own words, which is that check's verdict. Only the soft
    limit is set: it is for accidents, and processes that are started later set their own.

    Args:
        budget_mb: MiB beyond what the process holds now.
    """
    size = _sizes().get("DATA")
    if size is not None:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = size + (budget_mb << 20)
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _sizes() -> dict[str, int]:
    """Return the bytes of address space and of private data that this process has; nothing where no kernel tells."""
    if not os.path.exists("/proc/self/statm"):
        return {}
    with open("/proc/self/statm", "rb", buffering=0) as file:
        pages = [int(field) for field in file.read().split()]
    return {name: pages[field] * resource.getpagesize() for name, field in (("AS", 0), ("DATA", 5))}


def _limit(kind: int, value: int, grace: int) -> None:
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
        grace = min(grace, hard - value)
    # At the soft limit of processor time a signal tells what happened; at the hard one the kernel kills.
    resource.setrlimit(kind, (value, value + grace))
