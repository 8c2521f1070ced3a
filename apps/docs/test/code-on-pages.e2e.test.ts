// Every block of code on the pages is compiled or parsed; other tests run those that do something.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { build } from '../../../tools/services/build.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { callHttp, claimBody, sendClaim, startServiceUnderTest } from '../../api/test/service-under-test.ts';
import { PAGES } from '../src/pages.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

await build();
const service = await startServiceUnderTest();
const folder = temporaryFolder();
const all = await Promise.all(
  PAGES.map(async ({ name }) => {
    const { text } = await callHttp(service.url, 'GET', `/docs/${name}.md`);
    return [...text.matchAll(/^```(\w*)[^\n]*\n(.*?)^```$/gms)].map(
      ([, language = '', code = '']): Block => ({ page: name, language, code }),
    );
  }),
);
const blocks = all.flat();

const inLanguage = (language: string): readonly Block[] => {
  const found = blocks.filter((block) => block.language === language);
  expect(found.length).toBeGreaterThan(0);
  return found;
};

it('every block names a language that is checked here', () => {
  const checked = ['bash', 'csharp', 'java', 'json', 'python', 'text', 'ts', 'http', 'console'];
  expect(blocks.filter(({ language }) => !checked.includes(language))).toEqual([]);
});

it('JSON is valid', () => {
  const broken = inLanguage('json').filter(({ code }) => {
    try {
      JSON.parse(code);
      return false;
    } catch {
      return true;
    }
  });
  expect(broken).toEqual([]);
});

it('shell commands and Python programs have valid syntax', async () => {
  const shell = inLanguage('bash').map(({ code }) => run('bash', ['-n', '-c', code]));
  await writeFile(join(folder, 'samples.json'), JSON.stringify(inLanguage('python')));
  const check = `import ast, json\nfor sample in json.load(open("samples.json")): ast.parse(sample["code"], sample["page"])`;
  await Promise.all([...shell, run('python3', ['-c', check], { cwd: folder })]);
});

/** Values that a sample takes from the reader's program, and that its page does not define. */
const READERS = `
declare const claims: import('@svc/client').NewClaim[];
declare const svcId: string;
declare function load(): Promise<string | undefined>;
declare function save(position: string): Promise<void>;
declare function offerOn(id: string): Promise<void>;
`;

it('TypeScript compiles with strict settings', async () => {
  const samples = inLanguage('ts');
  // The blocks of the SDK's page are one program; every other block is a separate program.
  const sdk = samples.filter(({ page }) => page === 'sdk').map(({ code }) => code);
  const imports = sdk.join('\n').match(/^import .*$/gm) ?? [];
  const statements = sdk.map((code) => code.replace(/^import .*$/gm, ''));
  const program = [...new Set(imports), ...statements].join('\n');
  const files = [
    { name: 'sdk.ts', code: `${READERS}\n${program}` },
    ...samples
      .filter(({ page }) => page !== 'sdk')
      .map(({ code }, index) => ({ name: `sample-${index}.ts`, code: `${code}\nexport {};\n` })),
  ];
  for (const { name, code } of files) await writeFile(join(folder, name), code);
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'ES2023',
        module: 'NodeNext',
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        typeRoots: [join(ROOT, 'node_modules/@types')],
        types: ['node'],
        paths: { '@svc/client': [join(ROOT, 'packages/client/dist/index.d.ts')] },
      },
      include: ['*.ts'],
    }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
});

it('each request of the Postman collection is accepted by the service', async () => {
  const { json: collection } = await callHttp(service.url, 'GET', '/docs/postman.json');
  const firm = await service.firm();
  const claimId = (await sendClaim(service, firm.test, claimBody(firm.account.manual))).json.id;
  const variables: Record<string, string> = { claimId, adjuster: firm.account.manual, apiKey: firm.test };
  const filled = (text: string): string =>
    text.replace(/\{\{(\$?\w+)\}\}/g, (_, name: string) =>
      name === '$guid' ? randomUUID() : (variables[name] ?? ''),
    );
  expect(collection.variable.find(({ key }: { key: string }) => key === 'baseUrl').value).toBe(service.url);
  const outcomes: string[] = [];
  for (const { item: requests } of collection.item) {
    for (const { name, request } of requests) {
      const pathVariables = Object.fromEntries(
        (request.url.variable ?? []).map(({ key, value }: { key: string; value: string }) => [key, value]),
      );
      const path = filled(request.url.raw.replace('{{baseUrl}}', '')).replace(
        /:(\w+)/g,
        (_: string, key: string) => filled(pathVariables[key] ?? ''),
      );
      const query = new URLSearchParams(
        (request.url.query ?? []).map(({ key, value }: { key: string; value: string }) => [key, value]),
      );
      // The example of a cursor is of another list.
      query.delete('cursor');
      const response = await service.call(request.method, `${path}${query.size > 0 ? `?${query}` : ''}`, {
        as: firm.test,
        headers: Object.fromEntries(
          request.header.map(({ key, value }: { key: string; value: string }) => [key, filled(value)]),
        ),
        ...(request.body !== undefined && { raw: filled(request.body.raw) }),
      });
      outcomes.push(`${name}: ${response.status} ${response.json?.code ?? ''}`.trim());
    }
  }
  // Whether an operation succeeds depends on the state; every request is one of the API.
  expect(
    outcomes.filter((outcome) => /validation_failed|malformed|invalid_key|method_not/.test(outcome)),
  ).toEqual([]);
  expect(outcomes.filter((outcome) => /: 20[01]/.test(outcome)).length).toBeGreaterThan(8);
});
