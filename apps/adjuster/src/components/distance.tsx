import { Dialog } from '@svc/web-app/components/dialog';
import { Field } from '@svc/web-app/components/field';
import { Button } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { places } from '../app.ts';
import { typedField } from '../typed-field.ts';

/** Asks where distances are measured from: the device's position or a ZIP code. */
export function OriginDialog({ close }: { close: () => void }) {
  const words = allTexts.value.distance;
  const [busy, during] = useBusy();
  const [error, setError] = useState<string>();
  const [zip, setZip] = typedField('zip', places.origin.value?.zip);
  const attempt = (work: () => Promise<string | undefined>): Promise<void> =>
    during(async () => {
      setError(undefined);
      const problem = await work();
      if (problem === undefined) close();
      else setError(problem);
    });
  const locate = () =>
    attempt(() =>
      places.setOriginFromPosition().then(
        () => undefined,
        () => words.noPosition,
      ),
    );
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt(async () => {
      if (!(await places.setOriginFromZip(zip.trim()))) return words.unknownZip;
      setZip(undefined);
      return undefined;
    });
  };
  return (
    <Dialog title={words.title} close={close}>
      <p class="muted">{words.lead}</p>
      {'geolocation' in navigator && (
        <Button kind="primary" busy={busy} onClick={() => void locate()}>
          {words.position}
        </Button>
      )}
      <form class="form" data-stored onSubmit={submit}>
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
          {places.origin.value !== null && (
            <Button
              kind="quiet"
              onClick={() => {
                places.forgetOrigin();
                close();
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
