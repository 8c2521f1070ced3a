import type { ComponentChildren } from 'preact';
import { useApp } from '../app-context.ts';
import { Dialog } from './dialog.tsx';
import { Button } from './ui.tsx';

/** The text of a field, by its name. */
export type FormText = (name: string) => string;

/** A dialog that asks for values, or whether to go on. */
export const FormDialog = (props: {
  readonly title: string;
  /** The name of what it does. */
  readonly act: string;
  readonly kind?: 'primary' | 'danger';
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly close: () => void;
  readonly submit: (text: FormText) => void;
  readonly children?: ComponentChildren;
}) => (
  <Dialog title={props.title} close={props.close}>
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        props.submit((name) => String(data.get(name) ?? '').trim());
      }}
    >
      {props.children}
      <div class="row">
        <Button kind={props.kind ?? 'primary'} type="submit" busy={props.busy} disabled={props.disabled}>
          {props.act}
        </Button>
        <Button onClick={props.close}>{useApp().texts.value.cancel}</Button>
      </div>
    </form>
  </Dialog>
);
