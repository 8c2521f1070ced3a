import type { Sink } from '../environment.ts';
import type { Colors } from '../output.ts';

/** One line that is drawn over and over; on anything but a terminal, nothing. */
interface Progress {
  show(done: number, failed: number, note?: string): void;
  /** Out of the way, for something else to be written. */
  hide(): void;
}

const WIDEST_BAR = 40;

export function progressLine(
  { done, total, failed, note = '' }: { done: number; total: number; failed: number; note?: string },
  columns: number,
): string {
  const figures = `${String(done).padStart(String(total).length)}/${total}`;
  const text = `${figures}${failed > 0 ? `  ${failed} failed` : ''}${note === '' ? '' : `  ${note}`}`;
  const room = Math.min(WIDEST_BAR, columns - text.length - 3);
  if (room < 5) return text.slice(0, Math.max(0, columns - 1));
  const filled = total === 0 ? room : Math.floor((room * done) / total);
  return `${'█'.repeat(filled)}${'░'.repeat(room - filled)}  ${text}`;
}

export function createProgress(sink: Sink, total: number, colors: Colors): Progress {
  if (!sink.isTTY) return { show() {}, hide() {} };
  const clear = '\r\x1b[2K';
  return {
    show(done, failed, note = '') {
      const line = progressLine({ done, total, failed, note }, sink.columns ?? 80);
      sink.write(`${clear}${failed > 0 ? colors.yellow(line) : line}`);
    },
    hide: () => void sink.write(clear),
  };
}
