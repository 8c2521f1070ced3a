import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { Dialog } from './dialog.tsx';
import { Button } from './ui.tsx';

/** The text of a field, by its name. */
export type FormText = (name: string) => string;

/** A dialog that asks for values, or whether to go on. */
export function FormDialog(props: {
  readonly title: string;
  /** The name of what it does; that of the dialog by default. */
  readonly act?: string;
  readonly kind?: 'primary' | 'danger';
  readonly disabled?: boolean;
  readonly close: () => void;
  readonly focusAfter?: (() => HTMLElement | undefined) | undefined;
  /** Until it has ended, it is not done again. */
  readonly submit: (text: FormText) => unknown;
  readonly children?: ComponentChildren;
}) {
  const { texts } = useApp();
  const [busy, setBusy] = useState(false);
  const submit = async (text: FormText): Promise<void> => {
    setBusy(true);
    try {
      await props.submit(text);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} close={props.close} focusAfter={props.focusAfter}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          void submit((name) => String(data.get(name) ?? '').trim());
        }}
      >
        {props.children}
        <div class="row">
          <Button kind={props.kind ?? 'primary'} type="submit" busy={busy} disabled={props.disabled}>
            {props.act ?? props.title}
          </Button>
          <Button onClick={props.close}>{texts.value.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A button for what has to be confirmed in a dialog. */
export function ConfirmButton(props: {
  readonly act: string;
  /** Of the dialog; also names the button, which may stand among others of the same text. */
  readonly title: string;
  readonly run: () => Promise<unknown>;
  readonly children?: ComponentChildren;
}) {
  const { act, title, run, children } = props;
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => setIsOpen(false);
  return (
    <>
      <Button aria-label={title} onClick={() => setIsOpen(true)}>
        {act}
      </Button>
      {isOpen && (
        <FormDialog {...{ title, act, children, close }} kind="danger" submit={() => run().finally(close)} />
      )}
    </>
  );
}
