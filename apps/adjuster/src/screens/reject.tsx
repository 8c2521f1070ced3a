import type { LIMITS } from '@svc/contract';
import { useState } from 'preact/hooks';
import { Button, Dialog } from '../components/ui.tsx';
import { texts } from '../state/language.ts';

const MAX_REASON_LENGTH: (typeof LIMITS)['rejectionReason']['max'] = 1000;

export function RejectDialog(props: {
  readonly busy: boolean;
  readonly close: () => void;
  readonly confirm: (reason: string | undefined) => void;
}) {
  const words = texts.value;
  const [reason, setReason] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    const text = reason.trim();
    props.confirm(text === '' ? undefined : text);
  };
  return (
    <Dialog title={words.reject.title} close={props.close}>
      <form class="form" onSubmit={submit}>
        <p class="muted">{words.reject.lead}</p>
        <div class="chips">
          {words.reject.reasons.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={reason === one}
              onClick={() => setReason(reason === one ? '' : one)}
            >
              {one}
            </button>
          ))}
        </div>
        <div class="field">
          <label for="reason">{words.reject.own}</label>
          <textarea
            id="reason"
            rows={2}
            maxLength={MAX_REASON_LENGTH}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
        <div class="row">
          <Button kind="danger" type="submit" busy={props.busy}>
            {words.reject.confirm}
          </Button>
          <Button onClick={props.close}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
