import type { AppClaim } from '@svc/contract';
import { EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useEffect } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { dayOf, deadlines, duration, lists, now, session, texts, work } from '../app.ts';
import { claimRow } from '../components/claim-row.tsx';
import { UnreadableClaims } from '../components/unreadable-claims.tsx';
import { deadlinesOf, dueFirst } from '../model/deadlines.ts';

export function Claims({ showClosed }: { showClosed: boolean }) {
  const words = allTexts.value;
  const list = showClosed ? lists.closed.value : lists.accepted.value;
  useEffect(() => {
    if (showClosed) void lists.readClosed().catch(() => {});
  }, [showClosed]);
  return (
    <>
      <ScreenHeader title={words.claims.title} />
      <UnreadableClaims />
      <nav class="tabs" aria-label={words.claims.title}>
        <a href="#/claims" {...(!showClosed && { 'aria-current': 'page' })}>
          {words.claims.open}
        </a>
        <a href="#/claims/closed" {...(showClosed && { 'aria-current': 'page' })}>
          {words.claims.closed}
        </a>
      </nav>
      {list === undefined ? (
        <p class="muted">{session.reachable.value ? words.loading : words.network.noLists}</p>
      ) : list.length === 0 ? (
        <EmptyState title={showClosed ? words.claims.noneClosed : words.claims.noneOpen} icon="claims">
          <p>{showClosed ? words.claims.noneClosedMore : words.claims.noneOpenMore}</p>
        </EmptyState>
      ) : (
        <WindowedList
          items={showClosed ? list : dueFirst(list.map(work.withOwnEdits), deadlines.overrides.value)}
          row={(claim) => claimRow(claim, showClosed ? <Closed claim={claim} /> : <Due claim={claim} />)}
        />
      )}
    </>
  );
}

const Closed = ({ claim: { closed_at } }: { claim: AppClaim }) =>
  closed_at === null ? null : (
    <span class="pill neutral">{texts.value.claim.closedAt(dayOf(closed_at))}</span>
  );

/** What is due next, and how long it still has. */
function Due({ claim }: { claim: AppClaim }) {
  const words = allTexts.value.deadlines;
  const [next] = deadlinesOf(claim, deadlines.overrides.value);
  if (next === undefined) return null;
  const leftMs = next.at - now.value;
  const soon = leftMs < SOON_MS;
  const time = duration(Math.abs(leftMs)) ?? words.now;
  return (
    <span class={`pill ${soon ? 'warning' : 'neutral'}`}>
      {leftMs < 0 ? words.overdue(words.kinds[next.kind], time) : words.dueIn(words.kinds[next.kind], time)}
    </span>
  );
}

const SOON_MS = 24 * 60 * 60 * 1000;
