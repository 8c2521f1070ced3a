import {
  type AppClaimView,
  OperatorError,
  type OperatorReads,
  toDateTime,
  toDateTimeOrNull,
} from '@svc/application';
import type { ClaimId } from '@svc/domain';
import { Argument, type Command } from 'commander';
import { TOKENS } from '../composition/tokens.ts';
import { parseUuid } from './arguments.ts';
import { addCommand, addGroup, type OutputOptions } from './command.ts';
import { printFields, printJson } from './output.ts';
import { withService } from './session.ts';

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

const claimIdArgument = () => new Argument('<claim-id>').argParser(parseUuid);

export function addClaimCommands(program: Command): void {
  const group = addGroup(program, 'claim', 'claims');

  addCommand(group, 'close', 'close a claim, whatever its assignment; frees its claim number')
    .addArgument(claimIdArgument())
    .action(async (id: ClaimId, options: OutputOptions) => {
      const document = await withService(async (services) => {
        await services.get(TOKENS.closeClaimAsOperator)(id);
        return readDocument(services.get(TOKENS.operatorReads), id);
      });
      if (options.json) return printJson({ claim: document });
      printFields({ id: document.id, closed_at: document.closed_at });
    });

  addCommand(group, 'show', 'show the state of a claim, without the data that the firm sent')
    .addArgument(claimIdArgument())
    .action(async (id: ClaimId, options: OutputOptions) => {
      const document = await withService((services) => readDocument(services.get(TOKENS.operatorReads), id));
      if (options.json) return printJson({ claim: document });
      const { firm, assignment, ...fields } = document;
      printFields({ ...fields, firm: `${firm.name} (${firm.id})`, ...assignment });
    });
}
