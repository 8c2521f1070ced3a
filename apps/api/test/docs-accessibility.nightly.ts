import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, jest, test } from '@jest/globals';
import { build } from '../../../tools/services/build.ts';
import { PAGES } from '../../docs/src/pages.ts';
import { openContext, startBrowser } from './browser.ts';
import { startServiceUnderTest } from './service-under-test.ts';

// docs-browser.e2e.test.ts judges a page of each kind.

jest.setTimeout(600_000);

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FIND = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => location.pathname + ' ' + id + ': ' + nodes[0].html.slice(0, 120)))`;

test('no page of the documentation has an accessibility violation', async () => {
  await build();
  const [service, browser] = await Promise.all([startServiceUnderTest(), startBrowser()]);
  const context = await openContext(browser, { reducedMotion: 'reduce' });
  const page = await context.newPage();
  const found: string[] = [];
  for (const { name } of PAGES) {
    await page.goto(`${service.url}/docs/${name === 'index' ? '' : name.replace(/index$/, '')}`);
    await page.evaluate(AXE);
    found.push(...(await page.evaluate<string[]>(FIND)));
  }
  expect(found).toEqual([]);
});
