import { useEffect } from 'preact/hooks';
import { ClaimCard } from '../components/claim-card.tsx';
import { EmptyState, ScreenHeader } from '../components/ui.tsx';
import { texts } from '../state/language.ts';
import { lists, readClosed } from '../state/lists.ts';

export function Claims({ showClosed }: { showClosed: boolean }) {
  const words = texts.value;
  const list = showClosed ? lists.closed.value : lists.accepted.value;
  useEffect(() => {
    if (showClosed) void readClosed().catch(() => {});
  }, [showClosed]);
  return (
    <>
      <ScreenHeader title={words.claims.title} />
      <nav class="tabs" aria-label={words.claims.title}>
        <a href="#/claims" {...(!showClosed && { 'aria-current': 'page' })}>
          {words.claims.open}
        </a>
        <a href="#/claims/closed" {...(showClosed && { 'aria-current': 'page' })}>
          {words.claims.closed}
        </a>
      </nav>
      {list === undefined ? (
        <p class="muted">{words.loading}</p>
      ) : list.length === 0 ? (
        <EmptyState title={showClosed ? words.claims.noneClosed : words.claims.noneOpen} icon="claims">
          <p>{showClosed ? words.claims.noneClosedMore : words.claims.noneOpenMore}</p>
        </EmptyState>
      ) : (
        <ul class="list">
          {list.map((claim) => (
            <ClaimCard key={claim.id} claim={claim} list={showClosed ? 'closed' : 'own'} />
          ))}
        </ul>
      )}
    </>
  );
}
