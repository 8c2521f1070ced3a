// Peers: alternatives to this service on the same tables, measured in the same rounds. They do less work, so their
// ratios are upper bounds.
import { stripVTControlCharacters } from 'node:util';
import type { Path } from './paths.ts';
import { createTemporaryFolder, type Installed, install } from './peer-install.ts';
import { PEERS, type PeerKind } from './peer-kinds.ts';
import { grid, type Round, type Summary, summarize } from './report.ts';

interface Running {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

export interface Peer extends PeerKind, Running {
  readonly versions: Installed['versions'];
}

/** A peer that could not be measured; without a path, on all of them. */
interface LeftOut {
  readonly peer: string;
  readonly path?: Path;
  readonly why: string;
}

/** As of the service, with the peer in its place. */
interface PeerSummary extends Omit<Summary, 'service_rps' | 'cpu_us' | 'rounds'> {
  readonly rps: number;
  readonly cpu_us: {
    readonly peer: Summary['cpu_us']['service'];
    readonly baseline: Summary['cpu_us']['baseline'];
  };
  readonly rounds: readonly { readonly peer: Round['service']; readonly baseline: Round['baseline'] }[];
}

type Summaries = Record<string, Partial<Record<Path, PeerSummary>>>;

export const PEER_NAMES: readonly string[] = PEERS.map(({ name }) => name);

/** The peers of a run and their results. */
export class Peers {
  readonly leftOut: LeftOut[] = [];
  readonly #running: Peer[] = [];
  readonly #summaries: Summaries = {};
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Installs and starts the requested peers that support a path; peers that fail are excluded. */
  async start(
    names: readonly string[],
    paths: readonly Path[],
    run: (name: string, main: string, folder: string) => Promise<Running>,
  ): Promise<void> {
    const folder = createTemporaryFolder();
    this.stop = () => {
      for (const peer of this.#running) peer.stop();
      folder.remove();
    };
    for (const kind of PEERS) {
      if (!names.includes(kind.name) || !kind.paths.some((path) => paths.includes(path))) continue;
      try {
        const { folder: own, main, versions } = await install(kind.name, folder.path, this.#say);
        this.#running.push({ ...kind, versions, ...(await run(kind.name, main, own)) });
      } catch (error) {
        this.leaveOut(kind.name, error);
      }
    }
  }

  stop: () => void = () => {};

  /** Peers that support a path and return the right response. */
  async usableFor(path: Path, check: (peer: Peer) => Promise<void>): Promise<Peer[]> {
    const usable: Peer[] = [];
    for (const peer of this.#running.filter(({ paths }) => paths.includes(path))) {
      try {
        await check(peer);
        usable.push(peer);
      } catch (error) {
        this.leaveOut(peer.name, error, path);
      }
    }
    return usable;
  }

  leaveOut(peer: string, error: unknown, path?: Path): void {
    const why = stripVTControlCharacters(error instanceof Error ? error.message : String(error))
      .replace(/\s+/g, ' ')
      .slice(0, 500)
      .trim();
    this.leftOut.push({ peer, ...(path !== undefined && { path }), why });
    this.#say(`${peer} is excluded${path === undefined ? '' : ` from ${path}`}: ${why}`);
  }

  /** Stores a peer's rounds on a path. */
  add(peer: string, path: Path, rounds: readonly Round[]): void {
    const { service_rps: rps, cpu_us, rounds: _, ...same } = summarize(rounds);
    this.#summaries[peer] = {
      ...this.#summaries[peer],
      [path]: {
        ...same,
        rps,
        cpu_us: { peer: cpu_us.service, baseline: cpu_us.baseline },
        rounds: rounds.map(({ service, baseline }) => ({ peer: service, baseline })),
      },
    };
  }

  document() {
    return {
      peers: this.#summaries,
      peer_versions: Object.fromEntries(this.#running.map(({ name, versions }) => [name, versions])),
      peers_left_out: this.leftOut,
    };
  }

  /** A table that includes the service's ratio on the same path. */
  table(service: Partial<Record<Path, Summary>>): string {
    const header = [
      ...['peer', 'path', 'ratio', 'service', 'spread', 'p50', 'p99'],
      ...['peer/s', 'baseline/s', 'µs node', 'µs database'],
    ];
    const rows = Object.entries(this.#summaries).flatMap(([peer, paths]) =>
      Object.entries(paths).map(([path, summary]) => [
        peer,
        path,
        summary.ratio.toFixed(2),
        service[path as Path]?.ratio.toFixed(2) ?? '',
        summary.spread.map((one) => one.toFixed(2)).join('–'),
        summary.p50_ratio.toFixed(2),
        summary.p99_ratio.toFixed(2),
        summary.rps.toFixed(0),
        summary.baseline_rps.toFixed(0),
        `${summary.cpu_us.peer.node} / ${summary.cpu_us.baseline.node}`,
        `${summary.cpu_us.peer.database} / ${summary.cpu_us.baseline.database}`,
      ]),
    );
    const notes = [
      ...this.#running.map(({ name, omits }) => `${name} omits: ${omits}.`),
      ...this.leftOut.map(
        ({ peer, path, why }) => `${peer} is excluded${path === undefined ? '' : ` from ${path}`}: ${why}`,
      ),
    ];
    return `\n${rows.length > 0 ? `${grid(header, rows)}\n\n` : ''}${notes.join('\n')}\n`;
  }
}
