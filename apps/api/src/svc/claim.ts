import {
  type AppClaimView,
  type AuditReads,
  claimObject,
  OperatorError,
  type OperatorReads,
  type StoredAuditEntry,
  storedAuditEntries,
  toDateTime,
  toDateTimeOrNull,
} from '@svc/application';
import type { ClaimId, FirmId, Instant } from '@svc/domain';
import { Argument, type Command } from 'commander';
import type { Services } from '../composition/container.ts';
import { parseUuid } from './arguments.ts';
import { addCommand, addGroup, type OutputOptions } from './command.ts';
import { print, printFields, printJson, printTable, progressOf } from './output.ts';
import type { Sessions } from './session.ts';

/** Without the data that the firm sent: it is about the policyholder. */
const claimDocument = (
  claim: AppClaimView & { readonly externalId: string; readonly claimNumber: string },
) => ({
  id: claim.id,
  firm: claim.firm,
  test: claim.environment === 'test',
  external_id: claim.externalId,
  claim_number: claim.claimNumber,
  created_at: toDateTime(claim.createdAt),
  updated_at: toDateTime(claim.updatedAt),
  assignment: {
    status: claim.assignment.status,
    adjuster_svc_id: claim.assignment.adjuster,
    offered_at: toDateTime(claim.assignment.offeredAt),
    responded_at: toDateTimeOrNull(claim.assignment.respondedAt),
  },
  closed_at: toDateTimeOrNull(claim.closedAt),
});

async function readDocument(reads: OperatorReads, id: ClaimId) {
  const claim = await reads.claim(id);
  if (claim === null) throw new OperatorError(`no claim has the id ${id}`);
  return claimDocument(claim);
}

/** Requests before it: the time of a claim is taken when it is saved. */
const EARLIER_MS = 10_000;
const PAGE_ROWS = 2000;

/** What the audit trail has about one claim, in order; reads of the claim are left out. */
async function eventsOf(reads: AuditReads, firmId: FirmId, id: ClaimId, since: Instant) {
  const object = claimObject(id);
  const onProgress = progressOf('rows of the audit trail searched');
  const found: StoredAuditEntry[] = [];
  for (let after = 0, searched = 0; ; ) {
    const rows = await reads.rows(firmId, { after, limit: PAGE_ROWS, since });
    for (const { text } of rows) {
      if (!text.includes(object)) continue;
      const about = storedAuditEntries(text).filter((event) => event.object === object);
      found.push(...about.filter(({ action }) => action !== 'claim.read'));
    }
    const last = rows.at(-1);
    // Rows are in the order of writing, and pushes are written later than they happened.
    if (last === undefined || rows.length < PAGE_ROWS)
      return found.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
    after = last.seq;
    searched += rows.length;
    onProgress(searched);
  }
}

async function traceOf(services: Services, id: ClaimId) {
  const reads = services.operatorReads;
  const claim = await reads.claim(id);
  if (claim === null) throw new OperatorError(`no claim has the id ${id}`);
  const since = claim.createdAt - EARLIER_MS;
  const events = await eventsOf(services.auditReads, claim.firm.id, id, since);
  const devices = await services.jobReads.devices(claim.assignment.adjuster, services.clock.now());
  const jobs = await reads.jobsOfClaim(id);
  return {
    claim: claimDocument(claim),
    events: events.map(({ at, action, actor, outcome, request_id }) => ({
      at,
      action,
      actor,
      outcome,
      request_id,
    })),
    jobs: jobs.map(({ runAt, ...job }) => ({ ...job, run_at: toDateTime(runAt) })),
    devices: devices.length,
  };
}

const claimIdArgument = () => new Argument('<claim-id>').argParser(parseUuid);

export function addClaimCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'claim', 'claims');

  addCommand(group, 'close', 'close a claim, whatever its assignment; frees its claim number')
    .addArgument(claimIdArgument())
    .action(async (id: ClaimId, options: OutputOptions) => {
      const document = await withService(async (services) => {
        await services.closeClaimAsOperator(id);
        return readDocument(services.operatorReads, id);
      });
      print(options, { claim: document }, { id: document.id, closed_at: document.closed_at });
    });

  addCommand(group, 'show', 'show the state of a claim, without the data that the firm sent')
    .addArgument(claimIdArgument())
    .action(async (id: ClaimId, options: OutputOptions) => {
      const document = await withService((services) => readDocument(services.operatorReads, id));
      if (options.json) return printJson({ claim: document });
      const { firm, assignment, ...fields } = document;
      printFields({ ...fields, firm: `${firm.name} (${firm.id})`, ...assignment });
    });

  addCommand(group, 'trace', 'follow a claim from the request that sent it to the push and the answer')
    .addArgument(claimIdArgument())
    .action(async (id: ClaimId, options: OutputOptions) => {
      const trace = await withService((services) => traceOf(services, id));
      if (options.json) return printJson(trace);
      const { claim, events, jobs, devices } = trace;
      printFields({ claim: claim.id, firm: claim.firm.id, ...claim.assignment, devices });
      process.stdout.write('\n');
      printTable(events, 'no events');
      process.stdout.write('\n');
      printTable(jobs, 'No job waits for this claim.');
    });
}
