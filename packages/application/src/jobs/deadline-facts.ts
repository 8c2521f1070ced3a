import {
  clocksFor,
  DEADLINE_KINDS,
  type DeadlineFacts,
  type DeadlineKind,
  doneAt,
  localDays,
  NO_CLOCKS,
  type Svcid,
  stepTimesOf,
} from '@svc/domain';
import type { AppClaimView } from '../model/claim-views.ts';
import type { KeysetPosition } from '../model/page.ts';
import type { AppReads } from '../ports/app-reads.ts';

const PAGE_ROWS = 200;

/** The fields of a claim's content that deadlines depend on. */
interface SentFields {
  readonly loss: { readonly date: string; readonly cat_code?: string };
  readonly contact_date?: string;
  readonly carrier: { readonly name: string };
}

function factsOf({ assignment, asSent, work, ...claim }: AppClaimView): DeadlineFacts[] {
  if (assignment.respondedAt === null) return [];
  const { loss, contact_date, carrier } = JSON.parse(asSent) as SentFields;
  const { rules, timeZone } = claim.clocks ?? NO_CLOCKS;
  const event = loss.cat_code ?? null;
  const { contact, inspection } = stepTimesOf({
    ...work,
    contactDate: work.contactDate ?? contact_date ?? null,
  });
  const isDone: Readonly<Record<DeadlineKind, boolean>> = {
    first_contact: contact !== null,
    inspection: inspection !== null,
    preliminary_report: work.details?.preliminaryReportDate != null,
    proof_of_loss: work.details?.proofOfLossDate != null,
  };
  const done = DEADLINE_KINDS.filter((kind) => isDone[kind]);
  return [
    {
      ...{ acceptedAt: assignment.respondedAt, lossDate: loss.date, event, done },
      contactedAt: contact && doneAt(contact, localDays(timeZone)),
      clocks: clocksFor(rules, carrier.name, event),
    },
  ];
}

/** Of the adjuster's accepted, open claims. */
export async function readDeadlineFacts(reads: AppReads, svcId: Svcid): Promise<DeadlineFacts[]> {
  const facts: DeadlineFacts[] = [];
  let after: KeysetPosition | null = null;
  do {
    const page: Awaited<ReturnType<AppReads['claims']>> = await reads.claims(svcId, 'accepted', {
      after,
      limit: PAGE_ROWS,
    });
    facts.push(...page.rows.flatMap(factsOf));
    after = page.next;
  } while (after !== null);
  return facts;
}
