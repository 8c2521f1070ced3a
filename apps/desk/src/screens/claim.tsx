import { ApiError } from '@svc/web-app/api-error';
import { CopyButton } from '@svc/web-app/components/copy';
import { type Fact, FactSection, fact, Section } from '@svc/web-app/components/facts';
import { Button, Note, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { addressText, nameOf } from '@svc/web-app/names';
import { telLink } from '@svc/web-app/phone';
import { saveFile } from '@svc/web-app/save-file';
import { useReading } from '@svc/web-app/use-reading';
import { useEffect, useState } from 'preact/hooks';
import { can, changes, dateTime, day, desk, isWide, offers, showError, texts } from '../app.ts';
import { StatusPill, statusName, Waits } from '../components/status.tsx';
import type { BoardClaimDetails, Offer } from '../endpoints.ts';
import { type ActKind, CAN } from '../state/offers.ts';
import { FIELD_NAMES, fieldLabel } from '../texts/field-names.ts';
import { ClaimClocks } from './clocks.tsx';
import { ActDialog, OfferResults } from './offer.tsx';

/** One claim with what became of each of its offers. */
export function ClaimScreen({ id }: { readonly id: string }) {
  const words = texts.value.claim;
  const [details, setDetails] = useState<BoardClaimDetails | null>();
  const { from, ids, kind } = offers.draft.value ?? {};
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
  const { claim, closed_at, closed_by } = details;
  const { status } = claim.assignment;
  const canDo = (kind: ActKind): boolean => can('claims:write') && CAN[kind]({ status, closed_at });
  const { policyholder } = claim;
  const { phone } = policyholder;
  const call = phone === undefined ? undefined : telLink(phone);
  const { claimFields: fields } = texts.value;
  const facts = [
    fact(fields.number, claim.claim_number),
    fact(words.externalId, claim.external_id),
    fact(fields.property, addressText(claim.loss_location)),
    fact(texts.value.reports.groups.carrier, claim.carrier.name),
    fact(words.sentAt, dateTime(claim.created_at)),
    fact(statusName('closed'), closed_at, dateTime),
    fact(words.closedBy, closed_by === null ? null : personName(closed_by)),
    fact(words.reason, details.closure_reason),
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
      <div class="row">
        {canDo('offer') && (
          <Button kind="primary" onClick={() => offers.prepare('claim', [claim])}>
            {texts.value.board.offer}
          </Button>
        )}
        {(['withdraw', 'close'] as const).map(
          (kind) =>
            canDo(kind) && (
              <Button key={kind} onClick={() => offers.prepare('claim', [claim], kind)}>
                {texts.value.end[kind].act}
              </Button>
            ),
        )}
        {phone !== undefined && call !== undefined && (
          <a class="button" href={call}>
            {words.call(phone)}
          </a>
        )}
        <Button onClick={print}>{words.print}</Button>
      </div>
      {!isWide.value && <OfferResults of={id} />}
      <Section title={texts.value.reports.offers}>
        <ol class="history">
          {details.history.map((offer) => (
            <Course key={offer.offered_at} offer={offer} />
          ))}
        </ol>
      </Section>
      {claim.assignment.status === 'accepted' && <ClaimClocks clocks={details.clocks} />}
      <FactSection title={words.details} facts={facts} />
      <Sent claim={claim} />
      <ReceiptSection id={id} of={`${details.history[0]?.offered_at} ${details.history[0]?.outcome}`} />
      {kind !== undefined && canDo(kind) && from === 'claim' && ids?.[0] === id && (
        <ActDialog
          claims={[
            {
              ...{ ...claim, ...claim.assignment, name: nameOf(policyholder) },
              adjuster_name: details.history[0]?.adjuster_name ?? null,
            },
          ]}
        />
      )}
    </>
  );
}

const personName = ({ name, type, id }: NonNullable<Offer['offered_by']>): string =>
  texts.value.claim.offerer(name, type === 'key', id);

const print = (): void => window.print();

type Sendable = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Sendable =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the screen has elsewhere, and what the service made of the claim. */
const NOT_SENT = ['id', 'test', 'assignment', 'created_at', 'updated_at', 'external_id', 'claim_number'];

/** Every field that the firm sent, in groups as they were sent. */
function Sent({ claim }: { readonly claim: BoardClaimDetails['claim'] }) {
  const nameOfField = (path: readonly string[]): string =>
    fieldLabel(path, FIELD_NAMES[desk.language.language.value], ', ');
  const factsIn = (value: unknown, path: readonly string[]): Fact[] => {
    if (isObject(value))
      return Object.entries(value).flatMap(([name, inner]) => factsIn(inner, [...path, name]));
    if (Array.isArray(value) && value.some(isObject))
      return value.flatMap((one, n) => factsIn(one, [...path, `${n + 1}`]));
    return value === null || value === undefined
      ? []
      : [[nameOfField(path), shown(value, path.at(-1) ?? '')]];
  };
  const sent = Object.entries(claim).filter(([name]) => !NOT_SENT.includes(name));
  const single = sent.filter(([, value]) => !isObject(value));
  const groups = sent.flatMap(([name, value]) => (isObject(value) ? [[name, value] as const] : []));
  return (
    <div class="sent">
      {groups.map(([name, value]) => (
        <FactSection key={name} title={nameOfField([name])} facts={factsIn(value, [])} />
      ))}
      <FactSection
        title={texts.value.claim.further}
        facts={single.flatMap(([name, value]) => factsIn(value, [name]))}
      />
    </div>
  );
}

/** A value in words; of choices, the words that the interface has. */
function shown(value: unknown, name: string) {
  const text = String(value);
  if (typeof value === 'boolean') return texts.value.claim.flag(value);
  if (Array.isArray(value)) return value.map((one) => String(one).replaceAll('_', ' ')).join(', ');
  if (typeof value === 'number')
    return /limit|deductible|reserve|payment|value|cost|cap$/.test(name) ? dollars(value) : text;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return day(text);
  const call = /phone$/.test(name) ? telLink(text) : undefined;
  if (call !== undefined) return <a href={call}>{text}</a>;
  if (name === 'email')
    return <a href={`mailto:${encodeURIComponent(text).replaceAll('%40', '@')}`}>{text}</a>;
  return (
    <span class="preformatted">{/^[a-z]+(_[a-z]+)+$/.test(text) ? text.replaceAll('_', ' ') : text}</span>
  );
}

const dollars = (amount: number): string =>
  amount.toLocaleString('en', { style: 'currency', currency: 'USD' });

/** The signed course of the latest offer. @param of what a new receipt is read for */
function ReceiptSection({ id, of }: { readonly id: string; readonly of: string }) {
  const words = texts.value.claim;
  const [receipt, setReceipt] = useState<string>();
  const read = (): Promise<string> => desk.readReceipt(id);
  useEffect(() => setReceipt(undefined), [id, of]);
  const show = (): void => void read().then(setReceipt, showError);
  const save = (): void =>
    void read().then(
      (text) => saveFile(new Blob([text], { type: 'application/jose' }), `receipt-${id}.jws`),
      showError,
    );
  return (
    <div class="receipt">
      <Section title={words.receipt}>
        <p class="muted">{words.receiptLead}</p>
        {receipt !== undefined && <code class="secret">{receipt}</code>}
        <div class="row">
          {receipt === undefined ? (
            <Button onClick={show}>{words.showReceipt}</Button>
          ) : (
            <CopyButton text={receipt} />
          )}
          <Button onClick={save}>{words.saveReceipt}</Button>
        </div>
      </Section>
    </div>
  );
}

function Course({ offer }: { readonly offer: Offer }) {
  const words = texts.value.claim;
  const people = [
    [words.offeredBy, offer.offered_by],
    [words.withdrawnBy, offer.withdrawn_by],
  ] as const;
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
      {people.map(
        ([what, by]) =>
          by !== null && (
            <p key={what}>
              <span class="muted">{what}</span> {personName(by)}
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
