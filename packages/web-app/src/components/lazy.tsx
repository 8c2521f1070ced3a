import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { loadOnce } from '../load-once.ts';
import { Button } from './ui.tsx';

/** A component that is loaded when it is shown for the first time. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ((props: Props) => preact.JSX.Element) & { preload(): Promise<void> } {
  // A signal: code that arrives between a rendering and its effects is rendered all the same.
  const loaded = signal<{ Component: ComponentType<Props> }>();
  const preload = loadOnce(async () => {
    loaded.value = { Component: await load() };
  });
  function Lazy(props: Props) {
    const [failed, setFailed] = useState(false);
    const words = useApp().texts.value;
    useEffect(() => {
      preload().catch(() => setFailed(true));
    }, []);
    if (loaded.value !== undefined) return <loaded.value.Component {...props} />;
    if (!failed) return <p class="muted">{words.loading}</p>;
    const { needed, replaced, tryAgain } = words.network;
    // Browsers keep the failure of an import until the page is loaded again.
    return (
      <>
        {/* With a network, a file is missing because a later release has replaced it. */}
        <p class="muted">{navigator.onLine ? replaced : needed}</p>
        <Button kind="quiet" onClick={() => location.reload()}>
          {tryAgain}
        </Button>
      </>
    );
  }
  return Object.assign(Lazy, { preload });
}
