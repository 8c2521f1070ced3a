import { Field } from '@svc/web-app/components/field';
import { Button } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../app.ts';

/** Typed filters that are applied together, first when they are shown. */
export function TextFilters<Name extends string>(props: {
  readonly labels: Readonly<Record<Name, string>>;
  readonly initial?: Readonly<Record<string, string>>;
  readonly apply: (filters: Readonly<Record<string, string>>) => void;
}) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(props.initial ?? {});
  const apply = (): void => {
    const trimmed = Object.entries(typed).map(([name, text]) => [name, text.trim()] as const);
    props.apply(Object.fromEntries(trimmed.filter(([, text]) => text !== '')));
  };
  useEffect(apply, []);
  return (
    <form
      class="filter-line"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      {Object.entries<string>(props.labels).map(([name, label]) => (
        <Field
          key={name}
          {...{ label, name, autocomplete: 'off', spellcheck: false }}
          value={typed[name] ?? ''}
          onInput={({ currentTarget: { value } }) => setTyped({ ...typed, [name]: value })}
        />
      ))}
      <Button kind="primary" type="submit">
        {texts.value.board.search}
      </Button>
    </form>
  );
}
