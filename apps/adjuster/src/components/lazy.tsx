import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../app.ts';
import { Button } from './ui.tsx';

/** A component that is loaded when it is shown for the first time. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ((props: Props) => preact.JSX.Element) & { preload(): Promise<void> } {
  let loaded: ComponentType<Props> | undefined;
  const preload = async (): Promise<void> => {
    loaded ??= await load();
  };
  function Lazy(props: Props) {
    const [failed, setFailed] = useState(false);
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded !== undefined) return;
      preload().then(
        () => setReady(true),
        () => setFailed(true),
      );
    }, []);
    const Component = loaded;
    if (Component !== undefined) return <Component {...props} />;
    if (!failed) return <p class="muted">{texts.value.loading}</p>;
    const { needed, tryAgain } = texts.value.network;
    // Browsers keep the failure of an import until the page is loaded again. What is typed is stored on the device.
    return (
      <>
        <p class="muted">{needed}</p>
        <Button kind="quiet" onClick={() => location.reload()}>
          {tryAgain}
        </Button>
      </>
    );
  }
  return Object.assign(Lazy, { preload });
}
