import type { ComponentChildren } from 'preact';
import { useErrorBoundary, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { Button, EmptyState } from './ui.tsx';

/** Shows what can be done when what it contains cannot be shown. */
export function ErrorBoundary(props: {
  readonly children: ComponentChildren;
  /** A link to a screen that may still work. */
  readonly otherwise?: ComponentChildren;
}) {
  const { texts, reportError } = useApp();
  const [error] = useErrorBoundary(reportError);
  if (error === undefined) return <>{props.children}</>;
  const words = texts.value.broken;
  return (
    <EmptyState title={words.title} icon="close">
      <p>{words.lead}</p>
      <StartAgain />
      <p>{props.otherwise}</p>
    </EmptyState>
  );
}

export function StartAgain() {
  const { texts, startAgain } = useApp();
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
