import { ApiError } from '@svc/web-app/api-error';
import { Button, Note, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { addressText, nameOf } from '@svc/web-app/names';
import { useEffect, useState } from 'preact/hooks';
import { call, can, changes, dateTime, day, request, showError, since, texts } from '../app.ts';
import { StatusPill } from '../components/status.tsx';
import type { BoardClaimDetails, Offer } from '../endpoints.ts';
import { OfferDialog } from './offer.tsx';

/** One claim with what became of each of its offers. */
export function ClaimScreen({ id }: { readonly id: string }) {
  const words = texts.value.claim;
  const [details, setDetails] = useState<BoardClaimDetails | null>();
  const [offering, setOffering] = useState(false);
  const changed = changes.value;
  useEffect(() => {
    let isCurrent = true;
    request(() => call('getBoardClaim', { params: { id } })).then(
      (found) => isCurrent && setDetails(found),
      (error: unknown) => {
        if (!isCurrent) return;
        // 422: an address that was cut off has no id in it.
        if (error instanceof ApiError && [404, 422].includes(error.status)) setDetails(null);
        else showError(error);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [id, changed]);
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
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    [words.number, claim.claim_number],
    [words.externalId, claim.external_id],
    [words.address, addressText(claim.loss_location)],
    [words.phone, policyholder.phone],
    [words.email, policyholder.email],
    [words.carrier, claim.carrier.name],
    [words.policy, policy.number],
    [words.lossDate, day(loss.date)],
    [words.catCode, loss.cat_code],
    [words.description, loss.description],
    [words.instructions, claim.instructions],
    [words.sentAt, dateTime(claim.created_at)],
    [words.closedAt, closed_at === null ? null : dateTime(closed_at)],
  ];
  return (
    <>
      <ScreenHeader title={nameOf(policyholder)} back="#/">
        <span class="row">
          <StatusPill status={closed_at === null ? claim.assignment.status : 'closed'} late={details.late} />
          <TestBadge test={claim.test} />
          {details.waiting_since !== null && (
            <span class="muted">
              {since(details.waiting_since) === null
                ? texts.value.board.waitsLess
                : texts.value.board.waits(since(details.waiting_since) ?? '')}
            </span>
          )}
        </span>
      </ScreenHeader>
      {isOpen && can('claims:write') && (
        <div class="row">
          <Button kind="primary" onClick={() => setOffering(true)}>
            {words.offerAgain}
          </Button>
        </div>
      )}
      <section class="card">
        <h2>{words.history}</h2>
        <ol class="history">
          {details.history.map((offer) => (
            <Course key={offer.offered_at} offer={offer} />
          ))}
        </ol>
      </section>
      <section class="card">
        <h2>{words.details}</h2>
        <dl class="pairs">
          {facts.map(
            ([name, value]) =>
              value != null && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd class="preformatted">{value}</dd>
                </div>
              ),
          )}
        </dl>
      </section>
      {offering && (
        <OfferDialog
          claims={[{ ...claim, name: nameOf(policyholder) }]}
          close={() => setOffering(false)}
          done={() => setOffering(false)}
        />
      )}
    </>
  );
}

function Course({ offer }: { readonly offer: Offer }) {
  const words = texts.value.claim;
  const steps: readonly (readonly [string, string | null])[] = [
    [words.offered, offer.offered_at],
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
