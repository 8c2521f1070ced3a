import { useId } from 'preact/hooks';

/** A choice of a few values. */
export function Select<Value extends string | number>(props: {
  readonly label: string;
  readonly options: readonly Value[];
  readonly value: Value;
  /** By default the value itself. */
  readonly name?: (value: Value) => string;
  readonly choose: (value: Value) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        // Compared with texts; only browsers make one of a number.
        value={String(props.value)}
        onChange={({ currentTarget: { selectedIndex } }) => {
          const chosen = props.options[selectedIndex];
          if (chosen !== undefined) props.choose(chosen);
        }}
      >
        {props.options.map((option) => (
          <option key={option} value={option}>
            {props.name?.(option) ?? option}
          </option>
        ))}
      </select>
    </div>
  );
}
