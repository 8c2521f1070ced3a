import { useEffect } from 'preact/hooks';
import { ClaimCard } from '../parts/claim-card.tsx';
import { Nothing, ScreenHead } from '../parts/ui.tsx';
import { accepted, closed, readClosed, texts } from '../state.ts';

export function Claims({ showClosed }: { showClosed: boolean }) {
  const words = texts.value;
  const list = showClosed ? closed.value : accepted.value;
  useEffect(() => {
    if (showClosed) void readClosed().catch(() => {});
  }, [showClosed]);
  return (
    <>
      <ScreenHead title={words.claims.title} />
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
        <Nothing title={showClosed ? words.claims.noneClosed : words.claims.noneOpen} icon="claims">
          <p>{showClosed ? words.claims.noneClosedMore : words.claims.noneOpenMore}</p>
        </Nothing>
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
