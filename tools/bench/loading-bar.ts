import { performance } from 'node:perf_hooks';

const WIDTH = 30;
const ON_TERMINAL_EVERY_MS = 100;
/** Without a terminal, lines cannot be overwritten. */
const IN_PIPE_EVERY_MS = 5000;

/** Loading progress: a bar on a terminal, otherwise occasional lines. */
export function loadingBar(
  of: number,
  stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
): { at(done: number): void; end(): void } {
  const onTerminal = stream.isTTY === true;
  let shown = performance.now();
  const text = (done: number): string => {
    const share = of === 0 ? 1 : done / of;
    const full = Math.round(share * WIDTH);
    return onTerminal
      ? `\r${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${done} of ${of} claims`
      : `Loading claims: ${done} of ${of}\n`;
  };
  return {
    at(done) {
      const now = performance.now();
      if (now - shown < (onTerminal ? ON_TERMINAL_EVERY_MS : IN_PIPE_EVERY_MS)) return;
      shown = now;
      stream.write(text(done));
    },
    end: () => void stream.write(onTerminal ? `${text(of)}\n` : text(of)),
  };
}
