import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useApp } from '../app-context.ts';

export interface FieldProps {
  readonly label: string;
  readonly error?: string | undefined;
  readonly type?: 'text' | 'email' | 'password' | 'date';
  readonly name: string;
  readonly class?: string;
  /** `off` by default. */
  readonly autocomplete?:
    | 'email'
    | 'given-name'
    | 'family-name'
    | 'one-time-code'
    | 'postal-code'
    | 'username'
    | 'current-password'
    | 'off';
  readonly inputMode?: 'email' | 'numeric';
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly autocapitalize?: 'off';
  readonly spellcheck?: boolean;
  /** For an uncontrolled input; `value` is for a controlled one. */
  readonly defaultValue?: string;
  readonly value?: string;
  readonly onInput?: (event: Event & { currentTarget: HTMLInputElement }) => void;
  readonly inputRef?: (input: HTMLInputElement | null) => void;
}

export function Field({ label, error, inputRef, type = 'text', ...input }: FieldProps) {
  const id = useId();
  const attributes = {
    autocomplete: 'off',
    ...input,
    type,
    id,
    'aria-invalid': error !== undefined,
    ...(error !== undefined && { 'aria-describedby': `${id}-error` }),
    ...(inputRef !== undefined && { ref: inputRef }),
  } as JSX.IntrinsicElements['input'];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...attributes} />
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** For the six digits of a code that was emailed. */
export const CodeField = (field: Pick<FieldProps, 'error' | 'inputRef' | 'value' | 'onInput'>) => (
  <Field
    label={useApp().texts.value.signIn.code}
    name="code"
    class="code"
    autocomplete="one-time-code"
    inputMode="numeric"
    // As it is pasted from a mail, with blanks around and in it.
    pattern="\D*(\d\D*){6}"
    required
    {...field}
  />
);
