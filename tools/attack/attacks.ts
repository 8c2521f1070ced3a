// Attacks on a real service, with the bound of each and what was observed.
import { setTimeout as pause } from 'node:timers/promises';
import { smallestClaim } from '@svc/contract';
import { NO_OVERRIDES } from '@svc/domain';
import { Command } from 'commander';
import { expensiveBodies } from './expensive-bodies.ts';
import { type Finding, inParallel } from './finding.ts';
import { guessing, largeBodies, wrongKeys } from './floods.ts';
import { isolationMatrix } from './isolation.ts';
import { slowAttacks, slowClients, unreadPages } from './slow-clients.ts';
import { smuggling } from './smuggling.ts';
import { startTarget } from './target.ts';
import { unauthenticatedCosts, unauthenticatedFindings } from './unauthenticated.ts';

/** A change of the registry is in force in every process after a second. */
const LIMITS_IN_FORCE_MS = 1500;

const program = new Command('test:attack')
  .description('Starts a service, attacks it, and exits with 1 where a bound does not hold.')
  .addHelpText(
    'after',
    '\ntest:attack fuzz sends generated requests; test:attack fuzz --help has its options.',
  )
  .option('--requests <n>', 'requests of each kind whose processor time is measured', '200')
  .option('--seconds <n>', 'duration of each attack by slow clients', '10')
  .parse(process.argv.filter((arg, at) => !(arg === '--' && at === 2)));
const options = program.opts<{ requests: string; seconds: string }>();
const [requests, seconds] = [Number(options.requests), Number(options.seconds)];
if (!(requests >= 1 && seconds >= 1)) program.help({ error: true });

const { service, operator, stop } = await startTarget();

const send = async (method: string, path: string, { as, body }: { as?: string; body?: unknown }) => {
  const response = await fetch(service.url + path, {
    method,
    headers: {
      ...(as !== undefined && { Authorization: `Bearer ${as}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(method === 'POST' && { 'Idempotency-Key': `attack-${Math.random()}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};

const firm = await operator.firm();
const other = await operator.firm();
const member = await operator.member(firm.id);
const isolation = await isolationMatrix(operator, send);
// First, since later attempts of the same address are over its limit.
const guessed = await guessing(service, `${member.svcId.toLowerCase()}@example.com`);
const costs = await unauthenticatedCosts(service.url, service.pid, requests);
const findings: Finding[] = [
  ...isolation.findings,
  ...guessed,
  ...(await smuggling(service.port, firm.live)),
  ...unauthenticatedFindings(costs),
  await wrongKeys(service, 5000),
  ...(await largeBodies(service, firm.live, 200)),
  ...(await expensiveBodies({ ...service, key: firm.live, session: member.token, otherKey: other.live })),
];
// Two hundred claims with the longest instructions: a page of them is more than a megabyte.
await inParallel(
  Array.from({ length: 200 }, (_, n) => n),
  8,
  (n) =>
    send('POST', '/v1/claims', {
      as: firm.live,
      body: {
        ...smallestClaim,
        external_id: `large-${n}`,
        claim_number: `large-${n}`,
        adjuster_svc_id: member.svcId,
        instructions: 'é'.repeat(4000),
      },
    }),
);
findings.push(...(await slowClients(service, [unreadPages(firm.live, 'with lifted limits')], seconds)));
// With the limits that every firm has unless the operator raises them.
await operator.services.get('operatorUseCases').setLimits(firm.id, NO_OVERRIDES);
await pause(LIMITS_IN_FORCE_MS);
const attacks = [unreadPages(firm.live, 'with usual limits'), ...slowAttacks(firm.live)];
findings.push(...(await slowClients(service, attacks, seconds)));
const isRunning = service.running();
await stop();
findings.push({
  attack: 'all of them',
  bound: 'the process survives',
  observed: isRunning ? 'it runs' : 'it ended',
  holds: isRunning,
});

console.log('| attack | bound | observed | holds |\n| --- | --- | --- | --- |');
for (const { attack, bound, observed, holds } of findings)
  console.log(`| ${attack} | ${bound} | ${observed} | ${holds ? 'yes' : 'NO'} |`);
console.log('\nWithout a credential, by processor time:');
for (const { name, cpuMs, bytes, statuses } of costs.slice(0, 12))
  console.log(
    `${cpuMs.toFixed(2).padStart(7)} ms ${String(bytes).padStart(7)} bytes  ${statuses.join(',')}  ${name}`,
  );
for (const leak of isolation.leaks) console.log(`✗ ${leak}`);
process.exit(findings.every(({ holds }) => holds) ? 0 : 1);
