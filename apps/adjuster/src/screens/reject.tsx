import type { LIMITS } from '@svc/contract';
import { useState } from 'preact/hooks';
import { Button, Dialog } from '../components/ui.tsx';
import { maxFreeTextLength, REJECTION_CODES, type RejectionCode, rejectionText } from '../model/rejection.ts';
import { texts } from '../state/language.ts';

const MAX_REASON_LENGTH: (typeof LIMITS)['rejectionReason']['max'] = 1000;

export function RejectDialog(props: {
  readonly title: string;
  readonly close: () => void;
  readonly confirm: (reason: string | undefined) => void;
}) {
  const words = texts.value;
  const [code, setCode] = useState<RejectionCode | null>(null);
  const [freeText, setFreeText] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    props.confirm(rejectionText(code, freeText));
  };
  return (
    <Dialog title={props.title} close={props.close}>
      <form class="form" onSubmit={submit}>
        <p class="muted">{words.reject.lead}</p>
        <div class="chips">
          {REJECTION_CODES.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={code === one}
              onClick={() => setCode(code === one ? null : one)}
            >
              {words.reject.reasons[one]}
            </button>
          ))}
        </div>
        <div class="field">
          <label for="reason">{words.reject.own}</label>
          <textarea
            id="reason"
            rows={2}
            maxLength={maxFreeTextLength(code, MAX_REASON_LENGTH)}
            value={freeText}
            onInput={(event) => setFreeText(event.currentTarget.value)}
          />
        </div>
        <div class="row">
          <Button kind="danger" type="submit">
            {words.reject.confirm}
          </Button>
          <Button onClick={props.close}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
