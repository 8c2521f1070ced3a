import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { loadOnce } from '../load-once.ts';
import { Button } from './ui.tsx';

/** Whether the service responds. The worker leaves this method to the network. */
const isReachable = (): Promise<boolean> =>
  fetch('', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );

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
    const [failed, setFailed] = useState<'needed' | 'replaced'>();
    const words = useApp().texts.value;
    useEffect(() => {
      // From a service that responds, a file is missing because a later release has replaced it.
      preload().catch(async () => setFailed((await isReachable()) ? 'replaced' : 'needed'));
    }, []);
    if (loaded.value !== undefined) return <loaded.value.Component {...props} />;
    if (failed === undefined) return <p class="muted">{words.loading}</p>;
    // Browsers keep the failure of an import until the page is loaded again.
    return (
      <>
        <p class="muted">{words.network[failed]}</p>
        <Button kind="quiet" onClick={() => location.reload()}>
          {words.network.tryAgain}
        </Button>
      </>
    );
  }
  return Object.assign(Lazy, { preload });
}
