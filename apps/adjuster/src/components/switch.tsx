import './switch.css';

export const Switch = (props: {
  readonly label: string;
  /** What it is about, where several have the same label. */
  readonly of?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly turn: () => void;
}) => (
  <button
    type="button"
    class="switch"
    role="switch"
    aria-checked={props.checked}
    aria-label={props.of && `${props.label}: ${props.of}`}
    disabled={props.disabled}
    onClick={props.turn}
  >
    <span>{props.label}</span>
    <span class="track" aria-hidden="true" />
  </button>
);
