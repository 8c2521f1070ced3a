import type { AppClaim } from '@svc/contract';
import { day, lines, since } from '../format.ts';
import { route } from '../route.ts';
import { texts, titleOf } from '../state.ts';
import { Icon, TestBadge } from './ui.tsx';

/** One claim in a list: where, who, and how long it waits. */
export function ClaimCard({ claim, list }: { claim: AppClaim; list: 'offer' | 'own' | 'closed' }) {
  const words = texts.value;
  const waits = since(claim.offered_at);
  const { contact_date, inspection_date } = claim.work;
  const here = route.value.screen === 'claim' && route.value.id === claim.id;
  return (
    <li>
      <a class="card claim-card" href={`#/claims/${claim.id}`} {...(here && { 'aria-current': 'true' })}>
        <span class="claim-card-main">
          <span class="claim-card-top">
            <span class="strong">{titleOf(claim)}</span>
            <TestBadge test={claim.test} />
          </span>
          {lines(claim.loss_location).map((line) => (
            <span class="line" key={line}>
              {line}
            </span>
          ))}
          <span class="line muted">{words.offers.loss(day(claim.loss.date))}</span>
          <span class="line muted">{words.offers.from(claim.firm.name)}</span>
          {list === 'offer' && (
            <span class="pill waits">
              <Icon name="clock" />
              {waits === null ? words.offers.justNow : words.offers.waiting(waits)}
            </span>
          )}
          {list === 'own' && (
            <span class={`pill ${contact_date === undefined ? 'waits' : 'calm'}`}>
              {inspection_date !== undefined
                ? words.claims.inspected(day(inspection_date))
                : contact_date !== undefined
                  ? words.claims.contacted(day(contact_date))
                  : words.claims.toContact}
            </span>
          )}
          {list === 'closed' && claim.closed_at !== null && (
            <span class="pill calm">{words.claim.closedAt(day(claim.closed_at.slice(0, 10)))}</span>
          )}
        </span>
        <Icon name="next" />
      </a>
    </li>
  );
}
