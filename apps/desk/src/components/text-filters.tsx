import { Field } from '@svc/web-app/components/field';
import { Button } from '@svc/web-app/components/ui';
import { useEffect } from 'preact/hooks';
import { texts } from '../app.ts';

/** Typed filters that are applied together, first when they are shown. */
export function TextFilters<Name extends string>(props: {
  readonly labels: Readonly<Record<Name, string>>;
  readonly initial?: Readonly<Record<string, string>>;
  readonly apply: (filters: Readonly<Record<string, string>>) => void;
}) {
  const { initial = {} } = props;
  const apply = (typed: readonly (readonly [string, FormDataEntryValue])[]): void => {
    const trimmed = typed.map(([name, text]) => [name, String(text).trim()]);
    props.apply(Object.fromEntries(trimmed.filter(([, text]) => text !== '')));
  };
  useEffect(() => apply(Object.entries(initial)), []);
  return (
    <form
      class="filter-line"
      onSubmit={(event) => {
        event.preventDefault();
        apply([...new FormData(event.currentTarget)]);
      }}
    >
      {Object.entries<string>(props.labels).map(([name, label]) => (
        <Field
          key={name}
          {...{ label, name, spellcheck: false }}
          type={name === 'since' || name === 'until' ? 'date' : 'text'}
          defaultValue={initial[name] ?? ''}
        />
      ))}
      <Button kind="primary" type="submit">
        {texts.value.board.search}
      </Button>
    </form>
  );
}
