// Measures the adjuster app:
//   npx tsx --conditions=source tools/bench/adjuster-figures.ts [claims]
// first load on a slow 4G network, 300 offers on a phone four times slower than this machine, and the time from a firm's
// claim to the push service.

import { buildPage, enter, offerFullClaim, PHONE, until, visit } from '../../apps/api/test/adjuster-app.ts';
import { startBrowser } from '../../apps/api/test/browser.ts';
import { claimBody, sendClaim, startServiceUnderTest } from '../../apps/api/test/service-under-test.ts';
import { startPushService } from '../../packages/adapter-notifications/test/push-service.ts';
import { quantile } from './load.ts';

const CLAIMS = Number(process.argv[2] ?? 1000);
/** Lighthouse's throttling for phones. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const CPU_SLOWDOWN = 4;
const STORM_OFFERS = 300;
/** When the first offer was in the page, and the sum of the layout shifts. */
const OBSERVE = `
  globalThis.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.layoutShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector('main .list li, main .rows li') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => { globalThis.shownAt = performance.now(); });
  }).observe(document, { childList: true, subtree: true });`;
/** Scrolls through the list in two seconds. */
const SCROLL = `new Promise((resolve) => {
  const start = performance.now();
  let frames = 0, last = start, long = 0;
  const step = (now) => {
    frames += 1;
    long = Math.max(long, now - last);
    last = now;
    scrollTo(0, (document.documentElement.scrollHeight - innerHeight) * (now - start) / 2000);
    if (now - start < 2000) requestAnimationFrame(step);
    else resolve({ frames, ms: now - start, long });
  };
  requestAnimationFrame(step);
})`;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

const FRAME_MS = 1000 / 60;
const TRACE = ['-*', 'toplevel', 'disabled-by-default-devtools.timeline', 'devtools.timeline'];

/** How long the main thread works on each frame on the slow phone: processor time, which other load does not change. */
function frameTimes(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const framesOf = new Map<string, number[]>();
  for (const event of traceEvents) {
    if (event.name !== 'BeginMainThreadFrame') continue;
    framesOf.set(threadOf(event), [...(framesOf.get(threadOf(event)) ?? []), event.ts]);
  }
  const [page] = [...framesOf].sort(([, a], [, b]) => b.length - a.length);
  if (page === undefined) throw new Error('the trace has no frames');
  const [thread, begun] = [page[0], page[1].sort((a, b) => a - b)];
  const outermost: TraceEvent[] = [];
  let end = 0;
  for (const task of traceEvents
    .filter((event) => event.ph === 'X' && threadOf(event) === thread)
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    if (task.ts < end) continue;
    outermost.push(task);
    end = task.ts + (task.dur ?? 0);
  }
  return begun
    .slice(1, -1)
    .map((start, frame) => {
      const next = begun[frame + 2] ?? start;
      const own = outermost.filter(({ ts }) => ts >= start && ts < next);
      return (own.reduce((sum, { tdur = 0 }) => sum + tdur, 0) * CPU_SLOWDOWN) / 1000;
    })
    .sort((a, b) => a - b);
}

buildPage();
const [service, browser, push] = await Promise.all([
  startServiceUnderTest(),
  startBrowser({ whole: true }),
  startPushService(),
]);
try {
  const firm = await service.firm();
  const { svcId, token } = await service.member(firm);
  for (let n = 0; n < 25; n += 1) await offerFullClaim(service, firm, svcId);

  for (const [name, signedIn] of [
    ['first visit, to the sign-in', false],
    ['first visit, signed in, 25 offers', true],
  ] as const) {
    const runs: { interactive: number; paint: number; page4g: number; data: number }[] = [];
    for (let run = 0; run < 5; run += 1) {
      const { page, context, close } = await visit(browser, service.url, PHONE);
      if (signedIn) await context.addCookies([{ name: 'svc-session', value: token, url: service.url }]);
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', SLOW_4G);
      await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
      let page4g = 0;
      let data = 0;
      const urls = new Map<string, string>();
      session.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (urls.get(requestId)?.includes('/app/v1/')) data += encodedDataLength;
        else page4g += encodedDataLength;
      });
      const begun = performance.now();
      await page.goto(`${service.url}/app`, { waitUntil: 'commit' });
      const wanted = signedIn ? page.getByText('Marisol Delgado').first() : page.getByLabel('Your email');
      await wanted.waitFor();
      await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
      const interactive = performance.now() - begun;
      const paint = (await page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime",
      )) as number;
      runs.push({ interactive, paint, page4g, data });
      await close();
    }
    const middle = (of: (run: (typeof runs)[number]) => number) =>
      Math.round(runs.map(of).sort((a, b) => a - b)[2] ?? 0);
    console.log(
      `${name}: page ${(middle((run) => run.page4g) / 1000).toFixed(1)} kB, data ${(middle((run) => run.data) / 1000).toFixed(1)} kB, first paint ${middle((run) => run.paint)} ms, interactive ${middle((run) => run.interactive)} ms`,
    );
  }

  // A second start, with the service worker's cache and stored data.
  {
    const { page, context, close } = await visit(browser, service.url, PHONE);
    await enter(page, service, token);
    await page.getByText('Marisol Delgado').first().waitFor();
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await page.waitForTimeout(1500);
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', SLOW_4G);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
    const begun = performance.now();
    await page.reload({ waitUntil: 'commit' });
    await page.getByText('Marisol Delgado').first().waitFor();
    console.log(`a later start, signed in: offers after ${Math.round(performance.now() - begun)} ms`);
    await close();
  }

  // In a storm: many offers on a slow phone, stored by an earlier visit.
  {
    const { svcId: busy, token: ofBusy } = await service.member(firm);
    for (let n = 0; n < STORM_OFFERS; n += 1)
      await offerFullClaim(service, firm, busy, {
        policyholder: { first_name: 'Ana', last_name: `Reyes ${n}`, phone: '312-555-0142' },
      });
    const { page, context, close } = await visit(browser, service.url, PHONE);
    await page.addInitScript({ content: OBSERVE });
    await enter(page, service, ofBusy);
    await page.getByText('Ana Reyes 0').first().waitFor();
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await page.waitForTimeout(1500);
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
    const shown: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      await page.reload();
      await page.getByText('Ana Reyes 0').first().waitFor();
      shown.push(
        (await page.evaluate(
          "shownAt - performance.getEntriesByType('navigation')[0].responseEnd",
        )) as number,
      );
    }
    const frames = (await page.evaluate(SCROLL)) as { frames: number; ms: number; long: number };
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await page.evaluate('scrollTo(0, 0)');
    await page.waitForTimeout(1000);
    await browser.startTracing(page, { categories: TRACE });
    await page.evaluate(SCROLL);
    const times = frameTimes(await browser.stopTracing());
    const within = times.filter((ms) => ms <= FRAME_MS).length / times.length;
    const shift = (await page.evaluate('layoutShift')) as number;
    const middle = Math.round(shown.sort((a, b) => a - b)[2] ?? 0);
    console.log(
      `${STORM_OFFERS} offers, CPU ${CPU_SLOWDOWN} times slower: shown ${middle} ms after the page arrived; scrolling ${Math.round((frames.frames * 1000) / frames.ms)} frames a second, longest ${Math.round(frames.long)} ms; layout shift ${shift.toFixed(3)}`,
    );
    console.log(
      `main thread per frame of that scrolling: median ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms; ${Math.round(within * 100)} % of the frames within ${FRAME_MS.toFixed(1)} ms`,
    );
    await close();
  }

  const { svcId: member, token: session } = await service.member(firm);
  const phone = push.device();
  const { subscription } = phone;
  await service.call('PUT', '/app/v1/devices/phone', { as: session, body: { subscription } });
  const sentAt = new Map<string, number>();
  for (let n = 0; n < CLAIMS; n += 1) {
    const at = Date.now();
    const sent = await sendClaim(service, firm.live, claimBody(member));
    sentAt.set(sent.json.id, at);
    // Five claims a second are a large firm's peak.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 50 - (Date.now() - at))));
  }
  await until('all messages', async () => phone.received.length >= CLAIMS);
  const times = phone.received
    .map(({ payload, at }) => at - (sentAt.get(String(payload.claim_id)) ?? at))
    .sort((a, b) => a - b);
  const share = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  console.log(
    `from POST /v1/claims to the push service, ${times.length} claims: median ${share(0.5)} ms, p99 ${share(0.99)} ms, longest ${times.at(-1)} ms`,
  );
  if (push.faults.length > 0) console.log(push.faults);
} finally {
  await browser.close();
  await service.stop();
  await push.stop();
}
process.exit(0);
