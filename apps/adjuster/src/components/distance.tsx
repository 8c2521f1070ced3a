import { useState } from 'preact/hooks';
import { texts } from '../state/language.ts';
import { forgetOrigin, origin, setOriginFromPosition, setOriginFromZip } from '../state/places.ts';
import { showError } from '../state/toast.ts';
import { Button, Dialog, Field } from './ui.tsx';

/** Asks where distances are measured from: the device's position or a ZIP code. */
export function OriginDialog({ close }: { close: (chosen: boolean) => void }) {
  const words = texts.value.distance;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const [zip, setZip] = useState(origin.value?.zip ?? '');
  const attempt = async (work: () => Promise<string | undefined>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const problem = await work();
      if (problem === undefined) close(true);
      else setError(problem);
    } catch (caught) {
      showError(caught);
    } finally {
      setBusy(false);
    }
  };
  const locate = () =>
    attempt(() =>
      setOriginFromPosition().then(
        () => undefined,
        () => words.noPosition,
      ),
    );
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt(async () => ((await setOriginFromZip(zip.trim())) ? undefined : words.unknownZip));
  };
  return (
    <Dialog title={words.title} close={() => close(false)}>
      <p class="muted">{words.lead}</p>
      {'geolocation' in navigator && (
        <Button kind="primary" busy={busy} onClick={() => void locate()}>
          {words.position}
        </Button>
      )}
      <form class="form" onSubmit={submit}>
        <Field
          label={words.zip}
          name="zip"
          autocomplete="postal-code"
          inputMode="numeric"
          pattern="[0-9]{5}"
          maxLength={5}
          required
          error={error}
          value={zip}
          onInput={(event) => setZip(event.currentTarget.value)}
        />
        <div class="row">
          <Button type="submit" busy={busy}>
            {words.useZip}
          </Button>
          {origin.value !== null && (
            <Button
              kind="quiet"
              onClick={() => {
                forgetOrigin();
                close(false);
              }}
            >
              {words.forget}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
