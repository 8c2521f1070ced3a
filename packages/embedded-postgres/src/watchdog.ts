import { spawn } from 'node:child_process';

export type Watchdog = ReturnType<typeof startWatchdog>;

/**
 * Ends a process and deletes a folder when this process ends, even by `kill -9`: a shell waits until its
 * input closes. It runs in a separate session, so that Ctrl-C or a signal to the process group does not
 * end it too.
 */
export function startWatchdog({
  pid,
  signal,
  folder,
}: {
  pid: number;
  signal: 'QUIT' | 'TERM' | 'KILL';
  folder?: string;
}) {
  // `kill -0` succeeds for a zombie; /proc, where it exists, shows the state.
  const script = `
    alive() {
      kill -0 "$1" 2>/dev/null || return 1
      [ -r "/proc/$1/stat" ] || return 0
      read -r stat <"/proc/$1/stat"
      case "\${stat##*) }" in Z*|X*) return 1 ;; esac
    }
    cat >/dev/null
    kill -${signal} "$1" 2>/dev/null
    i=0
    while alive "$1" && [ $i -lt 100 ]; do i=$((i+1)); sleep 0.1; done
    kill -KILL "$1" 2>/dev/null
    [ -z "$2" ] || rm -rf -- "$2"`;
  const shell = spawn('/bin/sh', ['-c', script, 'watchdog', String(pid), folder ?? ''], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.once('error', () => {});
  shell.unref();
  (shell.stdin as { unref?(): void }).unref?.();
  return {
    /** Call this after an orderly shutdown of the watched process. */
    cancel() {
      shell.kill('SIGKILL');
    },
  };
}
