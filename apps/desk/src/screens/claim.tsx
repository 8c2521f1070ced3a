import { ApiError } from '@svc/web-app/api-error';
import { FactSection, fact, Section } from '@svc/web-app/components/facts';
import { Button, Note, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { addressText, nameOf } from '@svc/web-app/names';
import { useReading } from '@svc/web-app/use-reading';
import { useState } from 'preact/hooks';
import { can, changes, dateTime, day, desk, isWide, showError, texts } from '../app.ts';
import { StatusPill, statusName, Waits } from '../components/status.tsx';
import type { BoardClaimDetails, Offer } from '../endpoints.ts';
import { OfferDialog, OfferResults } from './offer.tsx';

/** One claim with what became of each of its offers. */
export function ClaimScreen({ id }: { readonly id: string }) {
  const words = texts.value.claim;
  const [details, setDetails] = useState<BoardClaimDetails | null>();
  const [offering, setOffering] = useState(false);
  const failed = (error: unknown): void => {
    // 422: an address that was cut off has no id in it.
    if (error instanceof ApiError && [404, 422].includes(error.status)) setDetails(null);
    else if (details === undefined) showError(error);
    else desk.showRefusal(error);
  };
  useReading(() => desk.readClaim(id), setDetails, failed, [id, changes.value]);
  if (details == null)
    return (
      <>
        <ScreenHeader title={words.details} back="#/" />
        {details === null ? (
          <Note kind="warning">{words.missing}</Note>
        ) : (
          <p class="muted">{texts.value.loading}</p>
        )}
      </>
    );
  const { claim, closed_at } = details;
  const isOpen = claim.assignment.status !== 'accepted' && closed_at === null;
  const { policyholder, policy, loss } = claim;
  const { claimFields: fields } = texts.value;
  const lines = (text: string) => <span class="preformatted">{text}</span>;
  const facts = [
    fact(fields.number, claim.claim_number),
    fact(words.externalId, claim.external_id),
    fact(fields.property, addressText(claim.loss_location)),
    fact(fields.phone, policyholder.phone),
    fact(fields.email, policyholder.email),
    fact(texts.value.reports.groups.carrier, claim.carrier.name),
    fact(fields.policyNumber, policy.number),
    fact(fields.date, day(loss.date)),
    fact(fields.catCode, loss.cat_code),
    fact(fields.description, loss.description, lines),
    fact(words.instructions, claim.instructions, lines),
    fact(words.sentAt, dateTime(claim.created_at)),
    fact(statusName('closed'), closed_at, dateTime),
  ];
  return (
    <>
      <ScreenHeader title={nameOf(policyholder)} back="#/">
        <span class="row">
          <StatusPill status={closed_at === null ? claim.assignment.status : 'closed'} late={details.late} />
          <TestBadge test={claim.test} />
          <Waits from={details.waiting_since} />
        </span>
      </ScreenHeader>
      {isOpen && can('claims:write') && (
        <div class="row">
          <Button kind="primary" onClick={() => setOffering(true)}>
            {texts.value.board.offer}
          </Button>
        </div>
      )}
      {!isWide.value && <OfferResults of={id} />}
      <Section title={texts.value.reports.offers}>
        <ol class="history">
          {details.history.map((offer) => (
            <Course key={offer.offered_at} offer={offer} />
          ))}
        </ol>
      </Section>
      <FactSection title={words.details} facts={facts} />
      {offering && (
        <OfferDialog
          claims={[{ ...claim, ...claim.assignment, name: nameOf(policyholder) }]}
          close={() => setOffering(false)}
          done={() => setOffering(false)}
        />
      )}
    </>
  );
}

function Course({ offer }: { readonly offer: Offer }) {
  const words = texts.value.claim;
  const { offered_by: by } = offer;
  const steps: readonly (readonly [string, string | null])[] = [
    [statusName('pending_acceptance'), offer.offered_at],
    [words.seen, offer.seen_at],
    [words.reminded, offer.reminded_at],
    [words.answered, offer.responded_at],
    [words.ended, offer.responded_at === null ? offer.ended_at : null],
  ];
  return (
    <li>
      <p>
        <span class="strong">{offer.adjuster_name ?? offer.adjuster_svc_id}</span>{' '}
        <StatusPill status={offer.outcome} />
      </p>
      {steps.map(
        ([name, at]) =>
          at !== null && (
            <p key={name}>
              <span class="muted">{name}</span> <time dateTime={at}>{dateTime(at)}</time>
            </p>
          ),
      )}
      {by !== null && (
        <p>
          <span class="muted">{words.offeredBy}</span> {words.offerer(by.name, by.type === 'key', by.id)}
        </p>
      )}
      {offer.pushes.map(({ channel, outcome, at }) => (
        <p key={channel}>
          <span class="muted">{words.channels[channel.split(':')[0] ?? ''] ?? channel}</span>{' '}
          {words.pushes[outcome] ?? outcome}, {dateTime(at)}
        </p>
      ))}
      {offer.pushes.length === 0 && offer.outcome === 'pending' && <p class="muted">{words.noPush}</p>}
      {offer.seen_at === null && offer.outcome === 'pending' && <p class="muted">{words.notSeen}</p>}
      {offer.rejection_reason !== null && (
        <p>
          <span class="muted">{words.reason}</span> {offer.rejection_reason}
        </p>
      )}
    </li>
  );
}
