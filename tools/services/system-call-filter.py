# Runs a command under the SystemCallFilter of a systemd unit, where systemd itself does not run:
#   system-call-filter.py UNIT COMMAND...
# Needs Debian's python3-seccomp, and systemd-analyze for the names of the groups.
import os
import re
import subprocess
import sys

import seccomp

unit, *command = sys.argv[1:]

groups = {}
names = None
listing = subprocess.run(
    ["systemd-analyze", "syscall-filter", "--no-pager"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
)
for line in listing.stdout.decode().splitlines():
    word = line.strip()
    if line.startswith("@"):
        names = groups.setdefault(word, [])
    elif names is not None and word and not word.startswith("#"):
        names.append(word)


def calls(name):
    return {call for part in groups[name] for call in calls(part)} if name.startswith("@") else {name}


allowed = set()
with open(unit) as file:
    for value in re.findall(r"^SystemCallFilter=(.*)$", file.read(), re.MULTILINE):
        listed = {call for name in value.lstrip("~").split() for call in calls(name)}
        allowed = allowed - listed if value.startswith("~") else allowed | listed

# As systemd does without SystemCallErrorNumber=.
syscall_filter = seccomp.SyscallFilter(seccomp.KILL_PROCESS)
for call in sorted(allowed):
    try:
        syscall_filter.add_rule(seccomp.ALLOW, call)
    except (RuntimeError, ValueError):
        pass  # another architecture has it
syscall_filter.load()
os.execvp(command[0], command)
