/** Work that stops between pieces of at most about a millisecond, so that a service can do other work in between. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export async function inSteps<Result>(steps: Steps<Result>, pause: () => Promise<void>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Like `inSteps`, with a pause only once steps have taken so long. */
export function inPieces<Result>(
  steps: Steps<Result>,
  maxMs: number,
  pause: () => Promise<unknown>,
): Promise<Result> {
  let since = performance.now();
  return inSteps(steps, async () => {
    if (performance.now() - since < maxMs) return;
    await pause();
    since = performance.now();
  });
}
