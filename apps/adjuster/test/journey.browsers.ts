// The main journey in Firefox and WebKit: `npx pnpm test:browsers`. Both take the input actions of WebDriver, so each of
// them needs three commands.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, expect, test } from '@jest/globals';
import { freePort, startWatchdog } from '@svc/embedded-postgres';
import { WebSocket } from 'undici';
import { startTcpProxy, type TcpProxy } from '../../../packages/adapter-postgres/test/tcp-proxy.ts';
import { requireCommand } from '../../../tools/services/debian-package.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { type ServiceUnderTest, startServiceUnderTest } from '../../api/test/service-under-test.ts';
import { assignmentOf, buildPage, codeFor, emailOf, en, offerFullClaim, until } from './app-under-test.ts';

interface Browser {
  open(url: string): Promise<void>;
  /** The value of a JavaScript expression; a promise is awaited. */
  evaluate(expression: string): Promise<unknown>;
  /** Input sources with their actions. */
  perform(actions: readonly object[]): Promise<void>;
  /** What is on the screen. Only WebKit needs it. */
  picture?(): Promise<string>;
  close(): Promise<void>;
}

const PHONE = { width: 390, height: 844 };

const commandOf = (name: string, packageName: string) =>
  requireCommand(name, { packageName, log: (line) => process.stderr.write(`${line}\n`) });

/** A process group, and what it has printed. */
function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcess = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  if (child.pid !== undefined) startWatchdog({ pid: -child.pid, signal: 'KILL' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  return {
    matching: (pattern: RegExp) =>
      until(`${pattern} from ${command}`, async () => pattern.exec(printed)?.[1]),
    async stop() {
      const ended = once(child, 'exit');
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}

/** Over WebDriver BiDi. */
async function startFirefox(): Promise<Browser> {
  const profile = temporaryFolder();
  const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
  const firefox = start(await commandOf('firefox-esr', 'firefox-esr'), args);
  const socket = new WebSocket(`${await firefox.matching(/listening on (ws:\S+)/)}/session`);
  await once(socket, 'open');
  const answered = new Map<number, (message: { message?: string; result: never }) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data));
    answered.get(message.id)?.(message);
  });
  let sent = 0;
  const send = async <Result = void>(method: string, params: object): Promise<Result> => {
    sent += 1;
    const id = sent;
    socket.send(JSON.stringify({ id, method, params }));
    const { message, result } = await new Promise<{ message?: string; result: Result }>((resolve) =>
      answered.set(id, resolve),
    );
    if (message !== undefined) throw new Error(`${method}: ${message}`);
    return result;
  };
  await send('session.new', { capabilities: {} });
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context;
  await send('browsingContext.setViewport', { context, viewport: PHONE });
  return {
    open: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    async evaluate(expression) {
      const { result, exceptionDetails } = await send<{
        result: { value: string };
        exceptionDetails?: { text: string };
      }>('script.evaluate', {
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
        target: { context },
        awaitPromise: true,
      });
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
      return JSON.parse(result.value);
    },
    perform: (actions) => send('input.performActions', { context, actions }),
    async close() {
      await firefox.stop();
    },
  };
}

/** WebKitGTK, over WebDriver. */
async function startWebKit(): Promise<Browser> {
  const port = await freePort();
  const screen = start(await commandOf('Xvfb', 'xvfb'), ['-displayfd', '1', '-screen', '0', '1600x1200x24']);
  const DISPLAY = `:${await screen.matching(/^(\d+)$/m)}`;
  const driver = start(await commandOf('WebKitWebDriver', 'webkit2gtk-driver'), [`--port=${port}`], {
    DISPLAY,
  });
  const send = async <Value = void>(path: string, body?: object): Promise<Value> => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: Value };
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  const { sessionId } = await until('WebKitWebDriver', () =>
    send<{ sessionId: string }>('', { capabilities: {} }).catch(() => false as const),
  );
  await send(`/${sessionId}/window/rect`, PHONE);
  return {
    open: (url) => send(`/${sessionId}/url`, { url }),
    evaluate: (expression) =>
      send(`/${sessionId}/execute/sync`, { script: `return ${expression}`, args: [] }),
    perform: (actions) => send(`/${sessionId}/actions`, { actions }),
    picture: () => send(`/${sessionId}/screenshot`),
    async close() {
      await driver.stop();
      await screen.stop();
    },
  };
}

let service: ServiceUnderTest;
/** Between the browser and the service. */
let network: TcpProxy;
beforeAll(async () => {
  buildPage();
  service = await startServiceUnderTest();
  network = await startTcpProxy(service.url);
}, 300_000);

test.each([
  ['Firefox', startFirefox],
  ['WebKit', startWebKit],
] as const)(
  'in %s, an adjuster signs in, accepts an offer, calls, closes the claim, and answers the next one without a network',
  async (_, startBrowser) => {
    const firm = await service.firm();
    const { svcId, token } = await service.member(firm);
    const send = (last_name: string) =>
      offerFullClaim(service, firm, svcId, {
        policyholder: { first_name: 'Ana', last_name, phone: '352-555-0142' },
      });
    const [first, second] = [await send('First'), await send('Second')];
    const isAccepted = async (id: string) => (await assignmentOf(service, firm, id)).status === 'accepted';
    const browser = await startBrowser();
    try {
      const { evaluate } = browser;
      /** The visible element of this name, which takes input and has stopped moving. */
      const find = async (selector: string, name: string): Promise<{ x: number; y: number }> => {
        let before = '';
        return until(`${name} on the screen`, async () => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          const found = (await evaluate(`(() => {
            const element = [...document.querySelectorAll('${selector}')].find((one) => one.checkVisibility({ visibilityProperty: true })
              && one.ariaDisabled !== 'true' && !one.disabled
              && (one.ariaLabel ?? one.labels?.[0]?.textContent ?? one.textContent).includes('${name}'));
            element?.scrollIntoView({ block: 'center' });
            const box = element?.getBoundingClientRect();
            return box && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
          })()`)) as { x: number; y: number } | null;
          const isStill = JSON.stringify(found) === before;
          before = JSON.stringify(found);
          return isStill && (found ?? undefined);
        });
      };
      const press = async (name: string, selector = 'a, button') => {
        const actions = [
          { type: 'pointerMove', ...(await find(selector, name)), duration: 0 },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ];
        await browser.perform([{ type: 'pointer', id: 'mouse', actions }]);
      };
      const fill = async (label: string, text: string) => {
        await press(label, 'input');
        const actions = [...text].flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]);
        await browser.perform([{ type: 'key', id: 'keyboard', actions }]);
      };
      const sees = (text: string) =>
        until(
          `“${text}”`,
          () => evaluate(`document.body.innerText.includes(${JSON.stringify(text)})`) as Promise<boolean>,
        );

      await browser.open(`${network.url}/app`);
      await evaluate(`localStorage.preferences = '{"undoSeconds":0}'`);
      await browser.open(`${network.url}/app`);
      await fill(en.signIn.email, await emailOf(service, token));
      await press(en.signIn.send);
      await fill(en.signIn.code, await codeFor(service));
      await press(en.signIn.enter);
      await sees(en.offers.count(2));

      await press('Ana First');
      await sees(en.record.sections.loss);
      await press(en.claim.reject);
      await sees(en.reject.title);
      await evaluate('history.back()');
      await until(
        'the claim without the dialog',
        () =>
          evaluate(
            `document.querySelector('dialog') === null && location.hash === '#/claims/${first}'`,
          ) as Promise<boolean>,
      );
      await press(en.claim.accept);
      await until('the acceptance', () => isAccepted(first));
      await sees(en.work.title);
      expect(
        await evaluate(`[...document.querySelectorAll('main a[href]')].slice(1, 4).map((link) =>
          [link.innerText.trim(), link.protocol, link.getBoundingClientRect().bottom < innerHeight])`),
      ).toEqual([
        [en.record.call, 'tel:', true],
        [en.record.text, 'sms:', true],
        [en.record.directions, 'https:', true],
      ]);
      // WebKit draws today's date in an empty field: pictures would depend on the color of the text.
      await evaluate(`document.querySelector('input[type=date]').scrollIntoView({ block: 'center' })`);
      const isEmpty = async () => {
        const pictures: unknown[] = [];
        for (const color of ['', 'transparent']) {
          await evaluate(`document.querySelector('input[type=date]').style.setProperty('color', '${color}')`);
          await evaluate(
            `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`,
          );
          pictures.push(await browser.picture?.());
        }
        return pictures[0] === pictures[1];
      };
      // A message or a scroll bar may still be moving.
      for (let tries = 0; tries < 20 && !(await isEmpty()); tries += 1);
      expect(await isEmpty()).toBe(true);
      await press(en.work.close);
      await press(en.work.close, 'dialog button');
      await sees(en.claims.noneOpen);
      await press(en.claims.closed);
      await sees('Ana First');

      await until(
        'the service worker',
        () => evaluate('navigator.serviceWorker.ready.then(() => true)') as Promise<true>,
      );
      await network.cut();
      await browser.open(`${network.url}/app`);
      await sees('You are offline.');
      await press('Ana Second');
      await press(en.claim.accept);
      await sees(en.claim.queuedAccept);
      expect(await isAccepted(second)).toBe(false);
      await network.restore();
      await until('the acceptance', () => isAccepted(second));
    } finally {
      await browser.close();
    }
  },
  600_000,
);
