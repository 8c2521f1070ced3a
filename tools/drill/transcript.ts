/** Prints each step with the seconds since the first. */
export function createTranscript(say: (line: string) => void): (line: string) => void {
  const startedAt = performance.now();
  return (line) => say(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${line}`);
}
