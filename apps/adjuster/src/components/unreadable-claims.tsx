import { StartAgain } from '@svc/web-app/components/error-boundary';
import { Note } from '@svc/web-app/components/ui';
import { lists, texts } from '../app.ts';

/** Claims of another shape, which are not in the lists. */
export function UnreadableClaims() {
  const count = lists.unreadable.value.size;
  if (count === 0) return null;
  return (
    <Note kind="warning">
      <p>{texts.value.broken.claims(count)}</p>
      <StartAgain />
    </Note>
  );
}
