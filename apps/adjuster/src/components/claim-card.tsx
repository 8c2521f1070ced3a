import type { AppClaim } from '@svc/contract';
import { addressLines, day, since, titleOf } from '../format.ts';
import { route } from '../navigation.ts';
import { texts } from '../state/language.ts';
import { Icon, TestBadge } from './ui.tsx';

/** A claim in a list. */
export function ClaimCard({ claim, list }: { claim: AppClaim; list: 'offer' | 'own' | 'closed' }) {
  const words = texts.value;
  const age = since(claim.offered_at);
  const { contact_date, inspection_date } = claim.work;
  const isCurrent = route.value.screen === 'claim' && route.value.id === claim.id;
  return (
    <li>
      <a class="card claim-card" href={`#/claims/${claim.id}`} {...(isCurrent && { 'aria-current': 'true' })}>
        <span class="claim-card-main">
          <span class="claim-card-top">
            <span class="strong">{titleOf(claim)}</span>
            <TestBadge test={claim.test} />
          </span>
          {addressLines(claim.loss_location).map((line) => (
            <span class="line" key={line}>
              {line}
            </span>
          ))}
          <span class="line muted">{words.offers.loss(day(claim.loss.date))}</span>
          <span class="line muted">{words.offers.from(claim.firm.name)}</span>
          {list === 'offer' && (
            <span class="pill warning">
              <Icon name="clock" />
              {age === null ? words.offers.new : words.offers.offeredAgo(age)}
            </span>
          )}
          {list === 'own' && (
            <span class={`pill ${contact_date === undefined ? 'warning' : 'neutral'}`}>
              {inspection_date !== undefined
                ? words.claims.inspected(day(inspection_date))
                : contact_date !== undefined
                  ? words.claims.contacted(day(contact_date))
                  : words.claims.toContact}
            </span>
          )}
          {list === 'closed' && claim.closed_at !== null && (
            <span class="pill neutral">{words.claim.closedAt(day(claim.closed_at.slice(0, 10)))}</span>
          )}
        </span>
        <Icon name="next" />
      </a>
    </li>
  );
}
