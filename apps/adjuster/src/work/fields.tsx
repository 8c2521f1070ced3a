import { Button } from '@svc/web-app/components/ui';
import { useId } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { today } from '../app.ts';

interface FieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly change: (value: string) => void;
}

export function DateField({ label, value = '', change }: FieldProps) {
  const words = allTexts.value.work;
  const id = useId();
  const isEmpty = value === '';
  const shortcut = isEmpty ? words.today : words.clear;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="date">
        <input
          id={id}
          type="date"
          data-empty={isEmpty}
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <Button
          kind="quiet"
          aria-label={`${shortcut}: ${label}`}
          onClick={() => change(isEmpty ? today() : '')}
        >
          {shortcut}
        </Button>
      </div>
    </div>
  );
}

export function TimeField({ label, value = '', change }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="time"
        data-empty={value === ''}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </div>
  );
}
