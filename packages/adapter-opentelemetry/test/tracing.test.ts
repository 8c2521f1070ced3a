import { afterEach, expect, jest, test } from '@jest/globals';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { DomainError, type FirmId, NO_NOTES, type StaffId } from '@svc/domain';
import { memoryFixture } from '../../application/test/memory-fixture.ts';
import { type Sampling, startTracing } from '../src/index.ts';

afterEach(() => void jest.useRealTimers());

const [INTERNAL, SERVER, CLIENT, CONSUMER] = [0, 1, 2, 4];
const ERROR = 2;
const PARENT = 'b7ad6b7169203331';
const HALF = '00000000000000000000000000000001';
const YES = `00-${HALF}-${PARENT}-01`;
const NO = `00-${HALF}-${PARENT}-00`;
const OTHER = `00-f${HALF.slice(1)}-${PARENT}-01`;
const ALL: Sampling = { sampler: 'always_on', ratio: 0 };

/** The spans that this work exports, in the order of their ends, and what is logged. */
async function traced(
  work: (own: ReturnType<typeof startTracing>) => unknown,
  sampling = ALL,
  result: ExportResult | null = { code: ExportResultCode.SUCCESS },
) {
  const spans: ReadableSpan[] = [];
  const logged: unknown[] = [];
  const exporter: SpanExporter = {
    export(some, done) {
      spans.push(...some);
      if (result !== null) done(result);
    },
    shutdown: async () => {},
  };
  const log = { warn: (...line: unknown[]) => void logged.push(line) };
  const own = startTracing({ endpoint: '', serviceName: 'own', sampling, log }, exporter);
  await work(own);
  await own.stop();
  return { spans, logged };
}

test.each<[Sampling['sampler'], ratio: number, exported: string[]]>([
  ['always_on', 0, [YES, NO, OTHER]],
  ['always_off', 1, []],
  ['traceidratio', 0.5, [YES, NO]],
  ['parentbased_always_on', 0, [YES, OTHER, 'none']],
  ['parentbased_always_off', 1, [YES, OTHER]],
  ['parentbased_traceidratio', 1, [YES, OTHER, 'none']],
  ['parentbased_traceidratio', 0, [YES, OTHER]],
])('with the sampler %s and the ratio %d, requests of these callers are exported: %j', async (...row) => {
  const [sampler, ratio, exported] = row;
  const work: Parameters<typeof traced>[0] = ({ request, requestEnded }) => {
    for (const traceparent of sampler.startsWith('parent') ? [YES, NO, OTHER, 'none'] : [YES, NO, OTHER])
      request({ headers: { traceparent } }, () =>
        requestEnded({ route: `GET /${traceparent}`, status: 200 }),
      );
  };
  const { spans } = await traced(work, { sampler, ratio });
  expect(spans.map(({ name }) => name)).toEqual(exported.map((caller) => `GET /${caller}`));
});

test('a request has its route, status and code; one that failed or was given up is an error', async () => {
  process.env.OTEL_RESOURCE_ATTRIBUTES = 'service.name=other,deployment=blue';
  const { spans, logged } = await traced(({ request, requestEnded }) => {
    for (const ended of [
      { route: 'GET /v1/me', status: 200 },
      { route: 'POST /v1/claims/{id}', status: 422, code: 'validation_failed' },
      { route: 'unknown', status: 499 },
      { route: 'GET /500', status: 500, code: 'internal_error' },
      { route: 'GET /aborted', status: 'aborted' },
    ] as const)
      request({ method: 'GET', headers: { tracestate: 'vendor=Reyes' } }, () => requestEnded(ended));
    request({ headers: {} }, () => requestEnded({ route: 'unknown', status: 404 }));
    requestEnded({ route: 'GET /outside', status: 200 });
  });
  const of = (name: string, status: number | undefined, others: object = {}) => ({
    ...{ name, kind: SERVER, tracestate: undefined },
    attributes: {
      'http.request.method': 'GET',
      ...(name.includes('/') && { 'http.route': name.split(' ')[1] }),
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...others,
    },
    isError: 'error.type' in others,
  });
  expect(
    spans.map((span) => ({
      ...{ name: span.name, kind: span.kind, tracestate: span.spanContext().traceState },
      ...{ attributes: span.attributes, isError: span.status.code === ERROR },
    })),
  ).toEqual([
    of('GET /v1/me', 200),
    of('POST /v1/claims/{id}', 422, { 'problem.code': 'validation_failed' }),
    of('GET', 499),
    of('GET /500', 500, { 'problem.code': 'internal_error', 'error.type': 'internal_error' }),
    of('GET /aborted', undefined, { 'error.type': 'aborted' }),
    of('HTTP', 404, { 'http.request.method': 'HTTP' }),
  ]);
  delete process.env.OTEL_RESOURCE_ATTRIBUTES;
  expect(logged).toEqual([]);
  for (const { resource } of spans)
    expect(resource.attributes).toMatchObject({ 'service.name': 'own', deployment: 'blue' });
});

test('use cases and the jobs that they cause continue the trace of a request; reminders start their own', async () => {
  const { memory, useOn, newTeam, newMember, newAdjuster, newDevice, newClaim } = memoryFixture();
  const { firm, svcId } = await newTeam();
  const other = await newMember(firm);
  const { svcId: invited } = await newAdjuster();
  await newDevice(svcId, 'phone');
  const known = (await memory.jobs.pending()).length;
  /** A request to each use case, and the first of its jobs. @returns the jobs. */
  const work = async (own: ReturnType<typeof startTracing>, traceparent: string) => {
    const use = useOn({
      unitOfWork: own.unitOfWork(memory.unitOfWork),
      claimWrites: own.claimWrites(memory.claimWrites),
      appReads: own.tracePort('appReads', memory.appReads, 'redis'),
    });
    let listener = (): void => {};
    const act = async () => {
      const keyed = { fingerprint: 'f', idempotencyKey: traceparent };
      const { claim } = await use.sendClaim(firm.live, { ...newClaim(), adjuster: svcId, ...keyed });
      const offer = { claimId: claim.id, adjuster: other, ...keyed, idempotencyKey: `offer ${traceparent}` };
      await use.offerClaim(firm.live, offer);
      await use.acceptClaim({ svcId: other }, claim.id);
      await use.readProfile({ svcId });
      await use.inviteAdjuster(firm.live, { svcId: invited, notes: NO_NOTES });
      const preferences = { quietHours: null, timeZone: 'UTC', deadlineReminders: true };
      await use.setDevicePreferences({ svcId }, 'phone', preferences);
      await own.unitOfWork(memory.unitOfWork).run(async (tx) => {
        await tx.outbox.add({ kind: 'mail_late_offers', firmId: firm.id, staffId: 'x' as StaffId, at: 1 });
        await tx.outbox.add({ kind: 'remind_credentials', svcId, at: 1 });
      });
      listener = own.bind(() => expect(own.traceId()).toBe(HALF));
      own.requestEnded({ route: 'POST /v1/claims', status: 201 });
    };
    await new Promise<void>((resolve, reject) =>
      own.request({ method: 'POST', headers: { traceparent } }, () => void act().then(resolve, reject)),
    );
    listener();
    expect(own.traceId()).toBeUndefined();
    // Outside of a request and of a job.
    await use.readProfile({ svcId });
    const jobs = (await memory.jobs.pending()).slice(known).map(({ job }) => job);
    for (const job of jobs.slice(0, 1)) await own.jobs(use.runJob)(job);
    return jobs;
  };
  let jobs: Awaited<ReturnType<typeof work>> = [];
  const { spans } = await traced(async (own) => {
    jobs = await work(own, YES);
  });
  const nameOf = (id: unknown) => spans.find((span) => span.spanContext().spanId === id)?.name ?? id;
  const inTransaction = (name: string) => ['unitOfWork.run', `${name}`, CLIENT, 'postgresql'];
  const inRequest = (name: string, system = 'postgresql') => ['POST /v1/claims', name, CLIENT, system];
  expect(
    spans.map(({ name, kind, attributes, parentSpanContext }) => [
      ...[nameOf(parentSpanContext?.spanId), name, kind, attributes['db.system.name']],
    ]),
  ).toEqual([
    ...['send', 'offer', 'respond'].map((write) => inRequest(`claimWrites.${write}`)),
    ...['adjuster', 'memberships'].map((read) => inRequest(`appReads.${read}`, 'redis')),
    ...['adjusters.find', 'memberships.lock', 'memberships.save'].map(inTransaction),
    ['unitOfWork.run', 'audit.record', INTERNAL, undefined],
    ...[inTransaction('outbox.add'), inRequest('unitOfWork.run')],
    ...['devices.lock', 'devices.saveState', 'outbox.add'].map(inTransaction),
    inRequest('unitOfWork.run'),
    ...['outbox.add', 'outbox.add'].map(inTransaction),
    inRequest('unitOfWork.run'),
    [PARENT, 'POST /v1/claims', SERVER, undefined],
    ['claimWrites.send', 'process notify_offer', CONSUMER, undefined],
  ]);
  expect(spans.at(-1)?.attributes).toEqual({
    'messaging.system': 'postgresql',
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'notify_offer',
  });
  const causeOf = (job: object) => ('traceparent' in job ? String(job.traceparent).split('-') : []);
  expect(jobs.map((job) => [job.kind, causeOf(job)[1], nameOf(causeOf(job)[2])])).toEqual([
    ['notify_offer', HALF, 'claimWrites.send'],
    ['notify_offer_withdrawn', HALF, 'claimWrites.offer'],
    ['notify_offer', HALF, 'claimWrites.offer'],
    ['notify_invitation', HALF, 'unitOfWork.run'],
    ...['mail_late_offers', 'remind_credentials', 'remind_deadlines'].map((kind) => [
      kind,
      undefined,
      undefined,
    ]),
  ]);
});

test('a request that is not sampled causes no spans and no jobs that continue its trace, and has its trace id', async () => {
  const { memory, useOn, newTeam, newClaim } = memoryFixture();
  const { firm, svcId } = await newTeam();
  const { spans } = await traced(
    async (own) => {
      const use = useOn({
        unitOfWork: own.unitOfWork(memory.unitOfWork),
        claimWrites: own.claimWrites(memory.claimWrites),
      });
      const keyed = { adjuster: svcId, fingerprint: 'f', idempotencyKey: 'k' };
      await new Promise((resolve) =>
        own.request({ headers: { traceparent: NO } }, () => {
          expect(own.traceId()).toBe(HALF);
          const invited = use.inviteAdjuster(firm.test, { svcId: firm.accounts.new, notes: NO_NOTES });
          resolve(Promise.all([invited, use.sendClaim(firm.live, { ...newClaim(), ...keyed })]));
        }),
      );
    },
    { sampler: 'parentbased_always_on', ratio: 0 },
  );
  const continued = (await memory.jobs.pending()).filter(({ job }) => 'traceparent' in job);
  expect([spans, continued]).toEqual([[], []]);
});

test('what fails is an error with its kind and reaches the caller; a broken rule is none', async () => {
  const failure = Object.assign(new Error('Reyes'), { code: '23505' });
  const rule = new DomainError('not_found', 'Reyes');
  const port = {
    limit: 5,
    fails: () => Promise.reject(failure),
    breaks: () => Promise.reject(rule),
    throws(): number {
      if (this.limit === 5) throw new TypeError('Reyes');
      return this.limit;
    },
    limitOf() {
      return this.limit;
    },
  };
  const { spans } = await traced(async (own) => {
    const { fails, breaks, throws, limitOf, limit } = own.tracePort('port', port);
    const job = own.jobs(async () => {
      expect([throws, limit, limitOf()]).toEqual([expect.any(Function), 5, 5]);
      expect(throws).toThrow(TypeError);
      await expect(breaks()).rejects.toBe(rule);
      return fails();
    });
    await expect(job({ kind: 'mail_webhook_paused', firmId: 'f' as FirmId, endpointId: 'e' })).rejects.toBe(
      failure,
    );
  });
  expect(spans.map((span) => [span.name, span.attributes['error.type'], span.status.code === ERROR])).toEqual(
    [
      ['port.limitOf', undefined, false],
      ['port.throws', 'TypeError', true],
      ['port.breaks', 'not_found', false],
      ['port.fails', '23505', true],
      ['process mail_webhook_paused', '23505', true],
    ],
  );
});

const failedWith = (error: Error): ExportResult => ({ code: ExportResultCode.FAILED, error });
test.each<[unknown, ExportResult | null]>([
  ['ECONNREFUSED', failedWith(Object.assign(new Error('Reyes'), { code: 'ECONNREFUSED' }))],
  ['TypeError', failedWith(new TypeError('Reyes'))],
  ['timeout', null],
])('the end waits two seconds for an export at most, and the log has why one failed: %s', async (...row) => {
  const [error, result] = row;
  jest.useFakeTimers();
  let isStopped = false;
  const work: Parameters<typeof traced>[0] = ({ request, requestEnded }) =>
    request({ headers: {} }, () => requestEnded({ route: 'GET /', status: 200 }));
  const stopping = traced(work, ALL, result).finally(() => (isStopped = true));
  await jest.advanceTimersByTimeAsync(1999);
  expect(isStopped).toBe(result !== null);
  await jest.advanceTimersByTimeAsync(1);
  expect((await stopping).logged).toEqual([['traces could not be exported', { error }]]);
});
