import type { Passkey } from '@svc/contract';
import { ApiError, NetworkError } from '@svc/web-app/api-error';
import { Dialog } from '@svc/web-app/components/dialog';
import { Field } from '@svc/web-app/components/field';
import { Button, ScreenHeader } from '@svc/web-app/components/ui';
import { createPasskey } from '@svc/web-app/passkeys';
import { useEffect, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { call, language, lists, request, session, showError, showToast, signOut } from '../app.ts';

/** Creates a passkey on the device and adds it to the account. */
async function addPasskey(name: string): Promise<void> {
  const { options } = await request(() => call('startPasskeyRegistration'));
  const body = await createPasskey(options, name);
  await request(() => call('registerPasskey', { body }));
}

/** There is always one page. */
const readPasskeys = async (): Promise<readonly Passkey[]> =>
  (await request(() => call('listPasskeys'))).data;

/**
 * False where passkeys are required and this is the only one. Not an error, since `request` treats `passkey_required` as
 * a session that must add a passkey.
 */
const removePasskey = (params: { passkey_id: string }): Promise<boolean> =>
  call('removePasskey', { params }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.code === 'passkey_required') return false;
      throw error;
    },
  );

const wordsNow = () => allTexts.value.passkeys;

/** An error of the service, or of the device: canceled, timed out, or already registered. */
function showFailure(error: unknown): void {
  if (error instanceof ApiError || error instanceof NetworkError) showError(error);
  else showToast(wordsNow().failed, 'error');
}

function AddPasskey({ onAdded }: { onAdded: () => Promise<void> }) {
  const words = wordsNow();
  const [busy, setBusy] = useState(false);
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get('name') ?? '').trim();
    setBusy(true);
    try {
      await addPasskey(name === '' ? words.defaultName : name);
      showToast(words.added, 'success');
      await onAdded();
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="form" onSubmit={(event) => void add(event)}>
      <Field
        label={words.name}
        name="name"
        autocomplete="off"
        maxLength={100}
        defaultValue={words.defaultName}
      />
      <Button kind="primary" type="submit" busy={busy}>
        {words.add}
      </Button>
    </form>
  );
}

/** The passkeys of the account, in the settings. */
export function Passkeys() {
  const words = wordsNow();
  const common = allTexts.value;
  const [passkeys, setPasskeys] = useState<readonly Passkey[]>();
  const [edited, setEdited] = useState<{ readonly passkey: Passkey; readonly action: 'rename' | 'remove' }>();
  const [busy, setBusy] = useState(false);
  const read = async (): Promise<void> => {
    await readPasskeys().then(setPasskeys, showError);
  };
  useEffect(() => void read(), []);
  const apply = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (edited === undefined) return;
    const params = { passkey_id: edited.passkey.id };
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get('name') ?? '').trim();
    setBusy(true);
    try {
      if (edited.action === 'rename') {
        await request(() => call('renamePasskey', { params, body: { name } }));
        showToast(common.saved, 'success');
      } else if (await request(() => removePasskey(params))) showToast(words.removed, 'success');
      else showToast(words.last, 'error');
      await read();
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
      setEdited(undefined);
    }
  };
  const dateOf = (time: string): string => new Date(time).toLocaleDateString(language.value);
  return (
    <section class="card">
      <h2>{words.title}</h2>
      <p>{words.lead}</p>
      {passkeys?.length === 0 && <p class="muted">{words.none}</p>}
      <ul class="stack">
        {passkeys?.map((passkey) => (
          <li key={passkey.id}>
            <p class="strong">{passkey.name}</p>
            <p class="muted">
              {passkey.last_used_at === null ? words.unused : words.used(dateOf(passkey.last_used_at))}
            </p>
            <div class="row">
              <Button onClick={() => setEdited({ passkey, action: 'rename' })}>
                {words.rename(passkey.name)}
              </Button>
              <Button onClick={() => setEdited({ passkey, action: 'remove' })}>
                {words.remove(passkey.name)}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <AddPasskey onAdded={read} />
      {edited !== undefined && (
        <Dialog
          title={
            edited.action === 'remove' ? words.remove(edited.passkey.name) : words.rename(edited.passkey.name)
          }
          close={() => setEdited(undefined)}
        >
          <form class="form" onSubmit={(event) => void apply(event)}>
            {edited.action === 'remove' ? (
              <p>{words.removeLead(edited.passkey.name)}</p>
            ) : (
              <Field
                label={words.name}
                name="name"
                autocomplete="off"
                maxLength={100}
                required
                defaultValue={edited.passkey.name}
              />
            )}
            <div class="row">
              <Button kind={edited.action === 'remove' ? 'danger' : 'primary'} type="submit" busy={busy}>
                {edited.action === 'remove' ? words.remove(edited.passkey.name) : common.save}
              </Button>
              <Button onClick={() => setEdited(undefined)}>{common.cancel}</Button>
            </div>
          </form>
        </Dialog>
      )}
    </section>
  );
}

/** Shown instead of everything else while the operator requires a passkey and the session has none. */
export function PasskeyRequired() {
  const words = wordsNow();
  const [hasPasskey, setHasPasskey] = useState(false);
  useEffect(() => {
    void readPasskeys().then((passkeys) => setHasPasskey(passkeys.length > 0), showError);
  }, []);
  const onAdded = async (): Promise<void> => {
    session.needsPasskey.value = false;
    await lists.refresh();
  };
  return (
    <>
      <ScreenHeader title={words.requiredTitle} />
      <section class="card">
        <p>{hasPasskey ? words.requiredElsewhere : words.requiredLead}</p>
        {!hasPasskey && <AddPasskey onAdded={onAdded} />}
        <Button onClick={() => void signOut(false).catch(showError)}>
          {allTexts.value.settings.signOut}
        </Button>
      </section>
    </>
  );
}
