import { Field } from '@svc/web-app/components/field';
import { Button } from '@svc/web-app/components/ui';
import { useEffect } from 'preact/hooks';
import { texts } from '../app.ts';

export type Filters = Readonly<Record<string, string | undefined>>;

/** Typed filters that are applied together, first when they are shown. */
export function TextFilters<Name extends string>(props: {
  readonly labels: Readonly<Record<Name, string>>;
  readonly initial?: Filters;
  readonly apply: (filters: Filters) => void;
}) {
  const { initial = {} } = props;
  useEffect(() => props.apply(initial), []);
  return (
    <form
      class="filter-line"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = [...new FormData(event.currentTarget)];
        props.apply(
          Object.fromEntries(typed.map(([name, text]) => [name, String(text).trim() || undefined])),
        );
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
