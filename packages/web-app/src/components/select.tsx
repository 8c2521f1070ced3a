import { useId } from 'preact/hooks';
import { useChoosing } from '../use-choosing.ts';

/** A choice of a few values. */
export function Select<Value extends string | number>(props: {
  readonly label: string;
  readonly options: readonly Value[];
  readonly value: Value;
  /** By default the value itself. */
  readonly name?: (value: Value) => string;
  /** May return a promise: until it has ended, what was chosen is shown. */
  readonly choose: (value: Value) => unknown;
}) {
  const id = useId();
  const [shown, choose] = useChoosing(props.value, props.choose);
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        // Compared with texts; only browsers make one of a number.
        value={String(shown)}
        onChange={({ currentTarget: { selectedIndex } }) => {
          const chosen = props.options[selectedIndex];
          if (chosen !== undefined) void choose(chosen);
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
