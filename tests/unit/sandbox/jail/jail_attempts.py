"""What code could try against the machine, the grader and other people's files, as named pieces of code."""

FILES = {
    "read a hidden file": "open(f'{arena}/hidden/secret.txt').read()",
    "list a hidden folder": "os.listdir(f'{arena}/hidden')",
    "read a hidden file through its folder's descriptor": """
folder = os.open(f'{arena}/hidden', os.O_PATH)
os.open('secret.txt', os.O_RDONLY, dir_fd=folder)
""",
    "read a hidden file through a link": "open(f'{arena}/readable/link').read()",
    "read a hidden file from inside its folder": "os.chdir(f'{arena}/hidden'); open('secret.txt').read()",
    "list the root folder": "os.listdir('/')",
    "read the list of users": "open('/etc/passwd').read()",
}
"""Reading what nobody allowed."""

WRITES = {
    "write a new file": "open(f'{arena}/new', 'w')",
    "write a new file into a readable folder": "open(f'{arena}/readable/new', 'w')",
    "write into the shared temporary folder": """
name = f'/tmp/jail-{os.getpid()}'
open(name, 'w')
os.unlink(name)
""",
    "append to its own file": "open(f'{arena}/readable/own.txt', 'a')",
    "overwrite its own file": "os.open(f'{arena}/readable/own.txt', os.O_RDWR)",
    "truncate its own file": "call('truncate', ctypes.c_char_p(f'{arena}/readable/own.txt'.encode()), 0)",
    "truncate its own file by opening it to read": "os.open(f'{arena}/readable/own.txt', os.O_RDONLY | os.O_TRUNC)",
    "make an unnamed file": "os.open(arena, os.O_TMPFILE | os.O_RDWR)",
    "make a folder": "os.mkdir(f'{arena}/new')",
    "make a symbolic link": "os.symlink('/', f'{arena}/new')",
    "make a hard link": "os.link(f'{arena}/readable/own.txt', f'{arena}/new')",
    "make a named pipe": "os.mkfifo(f'{arena}/new')",
    "rename a file": "os.rename(f'{arena}/readable/own.txt', f'{arena}/readable/new')",
    "move a hidden file": "os.rename(f'{arena}/hidden/secret.txt', f'{arena}/readable/new')",
    "remove a file": "os.unlink(f'{arena}/readable/own.txt')",
    "remove a folder": "os.rmdir(f'{arena}/readable/empty')",
    "open its own file to everybody": "os.chmod(f'{arena}/readable/own.txt', 0o777)",
    "change the mode of an open file": "os.fchmod(os.open(f'{arena}/readable/own.txt', os.O_RDONLY), 0o777)",
    "close a hidden folder to everybody": "os.chmod(f'{arena}/hidden', 0)",
    "change the owner of its own file": "os.chown(f'{arena}/readable/own.txt', os.getuid(), -1)",
    "change the times of its own file": "os.utime(f'{arena}/readable/own.txt', (0, 0))",
    "lock a file": "fcntl.flock(os.open(f'{arena}/readable/own.txt', os.O_RDONLY), fcntl.LOCK_EX)",
    "lock a part of a file": """
lock = struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 1, 0)
fcntl.fcntl(os.open(f'{arena}/readable/own.txt', os.O_RDONLY), fcntl.F_SETLK, lock)
""",
}
"""Changing anything on the disk."""

PROC = {
    "list all processes": "os.listdir('/proc')",
    "read another's command line": "open(f'/proc/{victim}/cmdline').read()",
    "read another's environment": "open(f'/proc/{victim}/environ').read()",
    "read another's memory map": "open(f'/proc/{victim}/maps').read()",
    "open another's memory": "open(f'/proc/{victim}/mem', 'rb')",
}
"""Reading what the kernel tells about other processes."""

OTHERS = {
    "trace another": "call('ptrace', 0x4206, victim, 0, 0)",
    "read another's memory": """
mine = ctypes.create_string_buffer(27)
vectors = [struct.pack('NN', address, 27) for address in (ctypes.addressof(mine), secret_address)]
call('process_vm_readv', victim, ctypes.c_char_p(vectors[0]), 1, ctypes.c_char_p(vectors[1]), 1, 0)
assert mine.raw == b'a secret of another process', mine.raw
""",
    "write another's memory": """
mine = ctypes.create_string_buffer(b'a secret of another process')
vectors = [struct.pack('NN', address, 27) for address in (ctypes.addressof(mine), secret_address)]
call('process_vm_writev', victim, ctypes.c_char_p(vectors[0]), 1, ctypes.c_char_p(vectors[1]), 1, 0)
""",
    "ask whether another lives": "os.kill(victim, 0)",
    "signal another": "os.kill(victim, signal.SIGCONT)",
    "signal its parent": "os.kill(parent, signal.SIGCONT)",
    "signal everybody": "os.kill(-1, 0)",
    "signal its parent's group": "os.killpg(os.getpgid(parent), 0)",
    "signal its own group": "os.killpg(0, 0)",
    "signal another's thread": "call('tgkill', victim, victim, 0)",
    "signal another's thread in the old way": "call('tkill', victim, 0)",
    "queue a signal to another": """
information = struct.pack('iii', signal.SIGCONT, 0, -1).ljust(128, b'\\0')
call('rt_sigqueueinfo', victim, signal.SIGCONT, ctypes.c_char_p(information))
""",
    "get a handle of another": "os.pidfd_open(victim)",
    "let the kernel signal another": "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, victim)",
    "choose the signal that the kernel sends": "fcntl.fcntl(os.pipe()[0], fcntl.F_SETSIG, signal.SIGKILL)",
    "slow another down": "os.setpriority(os.PRIO_PROCESS, victim, 19)",
    "give another the idle scheduler": "os.sched_setscheduler(victim, os.SCHED_IDLE, os.sched_param(0))",
    "pin another to one processor": "os.sched_setaffinity(victim, os.sched_getaffinity(0))",
    "change another's disk priority": "call('ioprio_set', 1, victim, (2 << 13) | 7)",
    "change another's limits": "resource.prlimit(victim, resource.RLIMIT_CORE, (0, 0))",
    "compare with another": "call('kcmp', os.getpid(), victim, 1, 0, 0)",
}
"""Tracing other processes, signalling them, slowing them down."""

NETWORK = {
    "connect by TCP": "socket.socket().connect(('127.0.0.1', port))",
    "listen by TCP": "socket.create_server(('127.0.0.1', 0))",
    "send by UDP": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "connect to a local socket": "socket.socket(socket.AF_UNIX).connect(abstract)",
    "make a pair of sockets": "socket.socketpair()",
    "ask the kernel about the network": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
}
"""Reaching anybody."""

PROGRAMS = {
    "fork": "os.fork() or os._exit(0)",
    "clone a process": "call('clone', signal.SIGCHLD, 0, 0, 0, 0) or os._exit(0)",
    "run a program": "subprocess.run(['/bin/true'], check=True)",
    "spawn a program": "os.posix_spawn('/bin/true', ['true'], {})",
    "become a program": "os.execv('/bin/true', ['true'])",
    "become an unnamed program": "os.execve(os.open('/bin/true', os.O_PATH), ['true'], {})",
}
"""Starting anything."""

ITSELF = {
    "leave its session": "os.setsid()",
    "leave its group": "os.setpgid(0, 0)",
    "change a limit": "call('prlimit64', 0, resource.RLIMIT_CORE, ctypes.c_char_p(bytes(16)), None)",
    "change a limit in the old way": "call('setrlimit', resource.RLIMIT_CORE, ctypes.c_char_p(bytes(16)))",
    "outlive its parent": "kernel.prctl(kernel.PR_SET_PDEATHSIG, 0)",
    "open its memory to others": "kernel.prctl(kernel.PR_SET_DUMPABLE, 1)",
    "become another user": "os.setuid(os.getuid())",
    "change its capabilities": """
header = struct.pack('=Ii', 0x20080522, 0)
call('capset', ctypes.c_char_p(header), ctypes.c_char_p(bytes(24)))
""",
    "change its personality": "call('personality', 0xffffffff)",
    "leave a namespace behind": "call('unshare', 0x400)",
}
"""Getting rid of what holds it."""

KERNEL = {
    "hold memory in an unnamed file": "os.memfd_create('x')",
    "hold memory in a shared segment": "call('shmctl', call('shmget', 0, 4096, 0o1600), 0, 0)",
    "hold memory in a message queue": "call('msgctl', call('msgget', 0, 0o1600), 0, 0)",
    "hold memory in semaphores": "call('semctl', call('semget', 0, 1, 0o1600), 0, 0, 0)",
    "watch a folder": "call('inotify_init1', 0)",
    "push pages into a pipe": """
vector = struct.pack('NN', secret_address, 1)
call('vmsplice', os.pipe()[1], ctypes.c_char_p(vector), 1, 0)
""",
}
"""Parts of the kernel that no limit counts."""

OPTIONAL = {
    "start a queue of system calls": "call('io_uring_setup', 1, ctypes.c_char_p(bytes(120)))",
    "start a queue of reads": "call('io_setup', 1, ctypes.c_char_p(bytes(8)))",
    "become root in a namespace": "call('unshare', 0x10000000)",
    "handle page faults": "call('userfaultfd', 1)",
    "watch the whole disk": "call('fanotify_init', 0x200, 0)",
    "measure the machine": """
call('perf_event_open', ctypes.c_char_p(struct.pack('IIQQ', 1, 112, 1, 0).ljust(112, b'\\0')), 0, -1, -1, 0)
""",
    "open a key ring": "call('keyctl', 0, -3, 0)",
    "load a map into the kernel": """
call('bpf', 0, ctypes.c_char_p(struct.pack('IIII', 2, 4, 4, 1).ljust(72, b'\\0')), 72)
""",
    "change its root folder": "os.chroot('/')",
    "mark its own file": "os.setxattr(f'{arena}/readable/own.txt', 'user.mark', b'x')",
    "change the flags of its own file": """
file = os.open(f'{arena}/readable/own.txt', os.O_RDONLY)
fcntl.ioctl(file, 0x40086602, struct.pack('l', 0))
""",
    "open a queue by name": "call('mq_open', ctypes.c_char_p(b'jail-x'), os.O_RDWR | os.O_CREAT, 0o600, 0)",
    "use a call that is newer than the filter": "kernel.system_call(454, secret_address & ~3, 1, 1, 2)",
    "write to shared memory": """
name = f'/dev/shm/jail-{os.getpid()}'
open(name, 'w')
os.unlink(name)
""",
}
"""What not every machine has, or not for every user."""

ATTEMPTS = FILES | WRITES | PROC | OTHERS | NETWORK | PROGRAMS | ITSELF | KERNEL | OPTIONAL
REFUSALS = ("EPERM", "EACCES", "ENOSYS")
"""How a system that is in order says no."""
