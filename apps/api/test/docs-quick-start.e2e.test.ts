import { spawn } from 'node:child_process';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { build } from '../../../tools/services/build.ts';
import { findCommand, installDebianPackage } from '../../../tools/services/debian-package.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { createDemo } from '../src/demo.ts';
import { callHttp, startServiceUnderTest } from './service-under-test.ts';

await build();
if (findCommand('curl') === undefined) await installDebianPackage('curl', () => {});
const service = await startServiceUnderTest();
const testKey = (await createDemo(service.service.services))?.testKey ?? '';

interface Step {
  readonly commands: string;
  readonly printed: string | null;
  readonly language: string;
}

/** The command blocks of the page, each with the expected output below it. */
function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const [, language = '', mark, text = ''] of markdown.matchAll(/^```(\w+)( output)?\n(.*?)^```$/gms)) {
    const last = steps.at(-1);
    if (mark === undefined) steps.push({ commands: text, printed: null, language });
    else if (last !== undefined) steps.splice(-1, 1, { ...last, printed: text, language });
  }
  return steps;
}

/** Replaces ids and times, which differ in each run. */
const settled = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/\b(QS|HUR|FL26)-\d+/g, '$1-<run>')
    .replace(/\btest_[A-Za-z0-9]+_(?=[a-z])/g, 'test_<firm>_');

const comparable = (text: string, language: string): string =>
  settled(language === 'json' ? JSON.stringify(JSON.parse(text), null, 2) : text.trim());

test.each(['quick-start', 'rehearse-a-hurricane'])(
  '%s, pasted block by block into a shell, prints the output shown on the page',
  async (page) => {
    const { text } = await callHttp(service.url, 'GET', `/docs/${page}.md`);
    const steps = stepsOf(text);
    expect(steps.length).toBeGreaterThan(7);
    const folder = temporaryFolder();
    // A page polls from the second in which it starts, which must not have changes of the page before.
    await sleep(1000 - (Date.now() % 1000));

    const border = '----- end of block -----';
    const script = steps
      // The only value that the reader must fill in.
      .map(({ commands }) => commands.replace('svc_test_your_key', testKey))
      .map((commands) => `${commands}\nprintf '\\n%s\\n' '${border}'\n`)
      .join('');
    const shell = spawn('bash', ['-s'], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } });
    shell.stdin.end(script);
    const [stdout, stderr] = await Promise.all([readAll(shell.stdout), readAll(shell.stderr)]);
    expect(stderr).toBe('');
    const outputs = stdout.split(border);
    const shown = steps.map(({ printed, language }, at) => ({
      at,
      printed,
      language,
      real: outputs[at] ?? '',
    }));
    for (const { printed, language, real } of shown) {
      if (printed === null) expect(real.trim()).toBe('');
      else expect(comparable(real, language)).toBe(comparable(printed, language));
    }
  },
);
