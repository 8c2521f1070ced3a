import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTemporaryFolder, freePort, SELF } from '@svc/embedded-postgres';
import { onFreePort, startDaemon } from '../services/daemon.ts';
import { requireCommand } from '../services/debian-package.ts';

/**
 * HAProxy, as in docker/haproxy.cfg, but without a limit for each client: distributes requests round-robin over the healthy
 * targets. A request is retried only when no connection could be made; after that only the client can know whether a retry
 * is safe.
 */
export async function startProxy({
  targets,
  port: wanted,
}: {
  /** Where the service listens: `http://host:port`. */
  readonly targets: readonly string[];
  readonly port?: number;
}) {
  const command = await requireCommand('haproxy');
  const folder = await createTemporaryFolder(SELF);
  const config = join(folder, 'haproxy.cfg');
  const socket = join(folder, 'stats');
  /** The check of each target: `L7OK` when it is healthy. */
  const checks = async (): Promise<string[]> => {
    const connection = connect(socket);
    connection.write('show stat\n');
    const [names = '', ...lines] = (await text(connection)).split('\n');
    const column = names.split(',').indexOf('check_status');
    return lines
      .map((line) => line.split(','))
      .flatMap((cells) => (/^s\d/.test(cells[1] ?? '') ? [cells[column] ?? ''] : []));
  };
  const start = (port: number) => {
    writeFileSync(config, configuration(port, socket, targets));
    return startDaemon({
      command,
      args: ['-db', '-f', config],
      folder,
      async isReady() {
        if ((await checks()).includes('INI')) throw new Error('a target was not checked yet');
      },
    });
  };
  const { port, daemon } = await onFreePort(start, wanted === undefined ? freePort : async () => wanted);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Health of each target, in the given order. The check is followed by an asterisk while the next one runs. */
    healthy: async () => (await checks()).map((check) => check.replace('* ', '') === 'L7OK'),
    async close() {
      await daemon.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const configuration = (port: number, socket: string, targets: readonly string[]): string => {
  const servers = (prefix: string, check = '') =>
    targets.map((target, n) => `  server ${prefix}${n} ${new URL(target).host}${check}`).join('\n');
  return `global
  stats socket ${socket}
defaults
  mode http
  timeout connect 1s
  timeout client 65s
  timeout server 30s
  timeout check 1s
  retries ${targets.length}
  retry-on conn-failure
  option redispatch 1
  balance roundrobin
frontend public
  bind 127.0.0.1:${port}
  option forwardfor
  http-request set-header X-Forwarded-Proto http
  # When no process is healthy, any of them may return its error.
  use_backend any if { nbsrv(healthy) eq 0 }
  default_backend healthy
backend healthy
  option httpchk GET /v1/health
  http-check expect error-status L7OKC status 200
  default-server check inter 200ms fall 1 rise 1
${servers('s')}
backend any
${servers('t')}
`;
};
