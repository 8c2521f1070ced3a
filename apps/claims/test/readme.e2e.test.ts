import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { createFirm, startRealService } from '../../../packages/client/test/real-service.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { MAIN_COMMAND } from './process.ts';

const README = fileURLToPath(new URL('../README.md', import.meta.url));

const service = await startRealService();
const firm = await createFirm(service);
const home = temporaryFolder();
await mkdir(join(home, 'bin'));
const quoted = MAIN_COMMAND.map((part) => `'${part}'`).join(' ');
await program('claims', `#!/bin/sh\nexec ${quoted} "$@"\n`);
// The one thing that the examples do with jq: reading a value, or several, by its path.
await program(
  'jq',
  `#!${process.execPath}\n(${jq.toString()})(require('node:fs').readFileSync(0, 'utf8'));\n`,
);

async function program(name: string, text: string): Promise<void> {
  await writeFile(join(home, 'bin', name), text);
  await chmod(join(home, 'bin', name), 0o755);
}

function jq(input: string): void {
  const path = (process.argv.at(-1) ?? '').replace(/\s*\|\s*/g, '');
  let values: unknown[] = [JSON.parse(input)];
  for (const [, name, index, each] of path.matchAll(/\.(\w+)|\[(\d+)\]|(\[\])/g)) {
    values = values.flatMap((value) => {
      if (each !== undefined) return value as unknown[];
      return [(value as Record<string, unknown>)[name ?? index ?? '']];
    });
  }
  for (const value of values) console.log(value);
}

/** Each command with its output in the README. */
function readCommands(markdown: string): { command: string; output: string }[] {
  const blocks = [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((entry) => {
        const heredoc = /^.*<<'END'\n[\s\S]*?^END\n/m.exec(entry)?.[0];
        const command = heredoc ?? entry.slice(0, entry.indexOf('\n') + 1);
        return { command, output: entry.slice(command.length) };
      }),
  );
}

/** A line of `…` alone stands for any lines, elsewhere for any text of one line; rows may be padded. */
function pattern(output: string): RegExp {
  const lines = output.split('\n').map((line) => {
    if (line === '…') return '(?:.*\\n)*?.*';
    const escaped = line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return escaped.replaceAll('…', '.*').replace(/ {2,}/g, ' +');
  });
  return new RegExp(`^${lines.join('\\n')}$`);
}

it('the commands of the README print what it says', async () => {
  const named = (text: string) =>
    text.replaceAll('ACCEPTS', firm.account('accepts')).replace(/\bNEW\b/g, firm.account('new'));
  const commands = readCommands(await readFile(README, 'utf8'));
  expect(commands.length).toBeGreaterThanOrEqual(15);

  // One shell for all commands; a marker ends the output of each.
  const script = commands.map(({ command }) => `${named(command)}printf '\\n==== end\\n'\n`).join('');
  const printed = await new Promise<string>((resolve) => {
    const { PATH = '' } = process.env;
    const env = {
      PATH: `${join(home, 'bin')}:${PATH}`,
      HOME: home,
      YOUR_KEY: firm.testKey,
      YOUR_URL: service.url,
    };
    const shell = execFile('/bin/bash', ['-c', `exec 2>&1\n${script}`], { cwd: home, env }, (_, stdout) =>
      resolve(stdout),
    );
    shell.stdin?.end();
  });
  const outputs = printed.split('\n==== end\n').slice(0, -1);
  expect(outputs).toHaveLength(commands.length);
  for (const [i, { command, output }] of commands.entries()) {
    expect(`$ ${command}${outputs[i]}`).toMatch(prefixed(`$ ${command}`, pattern(named(output))));
  }
});

/** With the command, to identify it in a mismatch. */
const prefixed = (command: string, { source }: RegExp): RegExp =>
  new RegExp(`^${command.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}${source.slice(1)}`);
