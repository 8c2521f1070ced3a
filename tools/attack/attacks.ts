// What attacks on a real service cost, with the bound of each. Attacks without a cost are tests: `apps/api/test/hostile-*`.
import { smallestClaim } from '@svc/contract';
import { Command } from 'commander';
import { scriptArguments, wholeNumber } from '../services/command.ts';
import { expensiveBodies } from './expensive-bodies.ts';
import { inParallel } from './finding.ts';
import { slowAttacks, slowClients, unreadPages } from './slow-clients.ts';
import { startTarget } from './target.ts';
import { unauthenticatedCosts, unauthenticatedFindings } from './unauthenticated.ts';

const program = new Command('test:attack')
  .description(
    'Starts a service, measures what attacks cost it, and exits with 1 where a bound does not hold.',
  )
  .addHelpText(
    'after',
    '\ntest:attack fuzz sends generated requests; test:attack fuzz --help has its options.',
  )
  .option('--requests <n>', 'requests of each kind whose processor time is measured', wholeNumber(1), 200)
  .parse(scriptArguments());
const { requests } = program.opts<{ requests: number }>();

const { service, operator, stop } = await startTarget();
const [firm, other] = [await operator.firm(), await operator.firm()];
const member = await operator.member(firm.id);
const costs = await unauthenticatedCosts(service.url, service.pid, requests);
const large = Array.from({ length: 200 }, (_, n) => `large-${n}`);
await inParallel(large, 20, (name) =>
  fetch(`${service.url}/v1/claims`, {
    method: 'POST',
    headers: {
      ...{ Authorization: `Bearer ${firm.live}`, 'Content-Type': 'application/json' },
      'Idempotency-Key': name,
    },
    body: JSON.stringify({
      ...{ ...smallestClaim, external_id: name, claim_number: name },
      ...{ adjuster_svc_id: member.svcId, instructions: 'é'.repeat(4000) },
    }),
  }),
);
const findings = [
  ...(await slowClients(service, [unreadPages(firm.live), ...slowAttacks(firm.live)])),
  ...unauthenticatedFindings(costs),
  ...(await expensiveBodies({
    ...{ ...service, key: firm.live, session: member.token, otherKey: other.live },
    staffSession: (await operator.staff(firm.id, 'dispatcher')).token,
  })),
];
await stop();

console.log('| attack | bound | observed | holds |\n| --- | --- | --- | --- |');
for (const { attack, bound, observed, holds } of findings)
  console.log(`| ${attack} | ${bound} | ${observed} | ${holds ? 'yes' : 'NO'} |`);
console.log('\nWithout a credential, by processor time:');
for (const { name, cpuMs, bytes, statuses } of costs.slice(0, 12))
  console.log(
    `${cpuMs.toFixed(2).padStart(7)} ms ${String(bytes).padStart(7)} bytes  ${statuses.join(',')}  ${name}`,
  );
process.exit(findings.every(({ holds }) => holds) ? 0 : 1);
