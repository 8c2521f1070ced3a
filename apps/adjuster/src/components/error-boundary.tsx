import type { ComponentChildren } from 'preact';
import { useErrorBoundary, useState } from 'preact/hooks';
import { lists, reportError, startAgain, texts } from '../app.ts';
import { Button, EmptyState, Note } from './ui.tsx';

/** Shows what can be done when what it contains cannot be shown. */
export function ErrorBoundary({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary(reportError);
  if (error === undefined) return <>{children}</>;
  const words = texts.value.broken;
  return (
    <EmptyState title={words.title} icon="close">
      <p>{words.lead}</p>
      <StartAgain />
      <p>
        <a href="#/settings">{texts.value.nav.settings}</a>
      </p>
    </EmptyState>
  );
}

function StartAgain() {
  const [busy, setBusy] = useState(false);
  return (
    <Button
      kind="primary"
      busy={busy}
      onClick={() => {
        setBusy(true);
        void startAgain();
      }}
    >
      {texts.value.update.apply}
    </Button>
  );
}

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
