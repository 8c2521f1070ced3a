import type { Passkey, RegisterPasskeyBody } from '@svc/contract';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, NetworkError } from '../api-error.ts';
import { useApp } from '../app-context.ts';
import { createPasskey } from '../passkeys.ts';
import type { moreEn } from '../texts/en-more.ts';
import type { Toasts } from '../toasts.ts';
import { useBusy } from '../use-busy.ts';
import { Field } from './field.tsx';
import { FormDialog, type FormText } from './form-dialog.tsx';
import { Button, ScreenHeader } from './ui.tsx';

type Named = { readonly params: { readonly passkey_id: string } };

/** The screens for the passkeys of an account. */
export function createPasskeyScreens(deps: {
  readonly words: () => typeof moreEn.passkeys;
  readonly signOutText: () => string;
  readonly language: () => string;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  readonly showToast: Toasts['showToast'];
  readonly showError: (error: unknown) => void;
  readonly list: () => Promise<{ readonly data: readonly Passkey[] }>;
  readonly options: () => Promise<{ readonly options: object }>;
  readonly register: (parts: { readonly body: RegisterPasskeyBody }) => Promise<unknown>;
  readonly rename: (parts: Named & { readonly body: { readonly name: string } }) => Promise<unknown>;
  readonly remove: (parts: Named) => Promise<unknown>;
  readonly signOut: () => Promise<void>;
  /** Called when a session that had to add a passkey has added one. */
  readonly onRequiredAdded: () => Promise<void>;
}) {
  const { words: wordsNow, request, showError, showToast } = deps;

  /** Creates a passkey on the device and adds it to the account. */
  async function addPasskey(name: string): Promise<void> {
    const { options } = await request(deps.options);
    const body = await createPasskey(options, name);
    await request(() => deps.register({ body }));
  }

  /** There is always one page. */
  const readPasskeys = async (): Promise<readonly Passkey[]> => (await request(deps.list)).data;

  /**
   * False where passkeys are required and this is the only one. Not an error, since `request` treats `passkey_required` as
   * a session that must add a passkey.
   */
  const removePasskey = (params: { passkey_id: string }): Promise<boolean> =>
    deps.remove({ params }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ApiError && error.code === 'passkey_required') return false;
        throw error;
      },
    );

  /** An error of the service, or of the device: canceled, timed out, or already registered. */
  function showFailure(error: unknown): void {
    if (error instanceof ApiError || error instanceof NetworkError) showError(error);
    else showToast(wordsNow().failed, 'error');
  }

  function AddPasskey({ onAdded }: { onAdded: () => Promise<void> }) {
    const words = wordsNow();
    const [busy, during] = useBusy();
    const add = (event: Event): void => {
      event.preventDefault();
      const name = String(new FormData(event.currentTarget as HTMLFormElement).get('name') ?? '').trim();
      void during(async () => {
        await addPasskey(name === '' ? words.defaultName : name);
        showToast(words.added, 'success');
        await onAdded();
      }, showFailure);
    };
    return (
      <form class="form" onSubmit={add}>
        <Field label={words.name} name="name" maxLength={100} defaultValue={words.defaultName} />
        <Button kind="primary" type="submit" busy={busy}>
          {words.add}
        </Button>
      </form>
    );
  }

  /** The passkeys of the account, in the settings. */
  function Passkeys() {
    const words = wordsNow();
    const common = useApp().texts.value;
    const [passkeys, setPasskeys] = useState<readonly Passkey[]>();
    const [edited, setEdited] = useState<{
      readonly passkey: Passkey;
      readonly action: 'rename' | 'remove';
    }>();
    const read = async (): Promise<void> => {
      await readPasskeys().then(setPasskeys, showError);
    };
    useEffect(() => void read(), []);
    const apply = async (text: FormText): Promise<void> => {
      if (edited === undefined) return;
      const params = { passkey_id: edited.passkey.id };
      try {
        if (edited.action === 'rename') {
          await request(() => deps.rename({ params, body: { name: text('name') } }));
          showToast(common.saved, 'success');
        } else if (await request(() => removePasskey(params))) showToast(words.removed, 'success');
        else showToast(words.last, 'error');
        await read();
      } catch (error) {
        showFailure(error);
      } finally {
        setEdited(undefined);
      }
    };
    const dateOf = (time: string): string => new Date(time).toLocaleDateString(deps.language());
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
        {edited?.action === 'rename' && (
          <FormDialog
            {...{ title: words.rename(edited.passkey.name), act: common.save, submit: apply }}
            close={() => setEdited(undefined)}
          >
            <Field
              {...{ label: words.name, name: 'name', maxLength: 100, required: true }}
              defaultValue={edited.passkey.name}
            />
          </FormDialog>
        )}
        {edited?.action === 'remove' && (
          <FormDialog
            {...{ title: words.remove(edited.passkey.name), act: words.remove(edited.passkey.name) }}
            {...{ kind: 'danger', submit: apply }}
            close={() => setEdited(undefined)}
          >
            <p>{words.removeLead(edited.passkey.name)}</p>
          </FormDialog>
        )}
      </section>
    );
  }

  /** Shown instead of everything else while the operator requires a passkey and the session has none. */
  function PasskeyRequired() {
    const words = wordsNow();
    const [hasPasskey, setHasPasskey] = useState(false);
    useEffect(() => {
      void readPasskeys().then((passkeys) => setHasPasskey(passkeys.length > 0), showError);
    }, []);
    return (
      <>
        <ScreenHeader title={words.requiredTitle} />
        <section class="card">
          <p>{hasPasskey ? words.requiredElsewhere : words.requiredLead}</p>
          {!hasPasskey && <AddPasskey onAdded={deps.onRequiredAdded} />}
          <Button onClick={() => void deps.signOut().catch(showError)}>{deps.signOutText()}</Button>
        </section>
      </>
    );
  }

  return { Passkeys, PasskeyRequired };
}
