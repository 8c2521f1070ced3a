import { spawn } from 'node:child_process';

export interface Guardian {
  /** To be called once what it guards has been ended in order. */
  dismiss(): void;
}

/**
 * Ends processes and deletes folders when this process ends, whatever ended it: a small shell waits for
 * its input to close, which the system sees to even after `kill -9`. It has a session of its own, so that
 * neither Ctrl-C nor a signal to the process group takes it along.
 */
export function guard({
  pid,
  signal,
  folder,
}: {
  pid: number;
  signal: 'QUIT' | 'TERM' | 'KILL';
  folder?: string;
}): Guardian {
  // A zombie that nobody reaps answers `kill -0` for ever; where there is a /proc, it tells.
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
  const shell = spawn('/bin/sh', ['-c', script, 'guardian', String(pid), folder ?? ''], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.once('error', () => {});
  shell.unref();
  (shell.stdin as { unref?(): void }).unref?.();
  return {
    dismiss() {
      shell.kill('SIGKILL');
    },
  };
}
