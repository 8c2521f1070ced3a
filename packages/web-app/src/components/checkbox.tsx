/** A choice that is on or off. */
export const Checkbox = (props: {
  readonly label: string;
  readonly checked?: boolean;
  readonly choose: (isChosen: boolean) => void;
}) => (
  <label class="choice">
    <input
      type="checkbox"
      checked={props.checked}
      onChange={({ currentTarget }) => props.choose(currentTarget.checked)}
    />
    <span>{props.label}</span>
  </label>
);
