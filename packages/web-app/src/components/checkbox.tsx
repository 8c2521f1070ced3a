import { useChoosing } from '../use-choosing.ts';

/** A choice that is on or off. */
export function Checkbox(props: {
  readonly label: string;
  readonly checked?: boolean;
  /** May return a promise: until it has ended, what was chosen is shown. */
  readonly choose: (isChosen: boolean) => unknown;
}) {
  const [shown, choose] = useChoosing(props.checked === true, props.choose);
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={shown}
        onChange={({ currentTarget }) => void choose(currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  );
}
