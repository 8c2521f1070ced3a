import type * as jest from '@jest/globals';

const ends: (() => unknown)[] = [];

async function endDownTo(count: number): Promise<void> {
  for (const end of ends.splice(count).reverse()) await end();
}

type Hooks = Pick<typeof jest, 'afterAll' | 'afterEach' | 'beforeEach'>;

/** Called by the runner before each test file, since the files of a worker share this module. */
export function endWhatTestsStart({ afterAll, afterEach, beforeEach }: Hooks): void {
  let openBefore = 0;
  beforeEach(() => {
    openBefore = ends.length;
  });
  afterEach(() => endDownTo(openBefore));
  afterAll(() => endDownTo(0));
}

/**
 * Ends what a test or its `beforeEach` has started after the test, and all else after the file; the latest first. Without
 * effect in a tool.
 */
export const atEnd = (end: () => unknown): void => void ends.push(end);
