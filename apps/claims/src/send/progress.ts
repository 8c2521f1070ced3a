import type { Output } from '../environment.ts';
import type { Colors } from '../output.ts';

/** A progress bar on one line; nothing if the output is not a terminal. */
interface Progress {
  show(done: number, failed: number, note?: string): void;
  /** Clears the line before other output. */
  hide(): void;
}

const MAX_BAR_WIDTH = 40;

export function progressLine(
  { done, total, failed, note = '' }: { done: number; total: number; failed: number; note?: string },
  columns: number,
): string {
  const figures = `${String(done).padStart(String(total).length)}/${total}`;
  const text = `${figures}${failed > 0 ? `  ${failed} failed` : ''}${note === '' ? '' : `  ${note}`}`;
  const barWidth = Math.min(MAX_BAR_WIDTH, columns - text.length - 3);
  if (barWidth < 5) return text.slice(0, Math.max(0, columns - 1));
  const filled = Math.floor((barWidth * done) / total);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}  ${text}`;
}

export function createProgress(output: Output, total: number, colors: Colors): Progress {
  if (!output.isTTY) return { show() {}, hide() {} };
  const clear = '\r\x1b[2K';
  return {
    show(done, failed, note = '') {
      const line = progressLine({ done, total, failed, note }, output.columns ?? 80);
      output.write(`${clear}${failed > 0 ? colors.yellow(line) : line}`);
    },
    hide: () => void output.write(clear),
  };
}
