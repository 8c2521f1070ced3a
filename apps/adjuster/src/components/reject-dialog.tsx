import type { LIMITS } from '@svc/contract';
import { Dialog } from '@svc/web-app/components/dialog';
import { Button } from '@svc/web-app/components/ui';
import type { ComponentChildren } from 'preact';
import { allTexts } from '../all-texts.ts';
import { typed } from '../app.ts';
import {
  maxFreeTextLength,
  REJECTION_CODES,
  rejectionText,
  type TypedRejection,
} from '../model/rejection.ts';

const MAX_REASON_LENGTH: (typeof LIMITS)['rejectionReason']['max'] = 1000;

const NOTHING: TypedRejection = { code: null, freeText: '' };

export function RejectDialog(props: {
  /** For several claims. */
  readonly title?: string;
  readonly claimIds: readonly string[];
  readonly close: () => void;
  readonly confirm: (reason: string | undefined) => void;
  readonly children?: ComponentChildren;
}) {
  const words = allTexts.value;
  const { claimIds } = props;
  const { code, freeText } = typed.rejections.texts.value[claimIds[0] ?? ''] ?? NOTHING;
  const type = (changes: Partial<TypedRejection>): void =>
    typed.rejections.keep(claimIds, { code, freeText, ...changes });
  const submit = (event: Event) => {
    event.preventDefault();
    props.confirm(rejectionText(code, freeText));
  };
  return (
    <Dialog title={props.title ?? words.reject.title} close={props.close}>
      <form class="form" onSubmit={submit}>
        {props.children}
        <p class="muted">{words.reject.lead}</p>
        <div class="chips">
          {REJECTION_CODES.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={code === one}
              onClick={() => type({ code: code === one ? null : one })}
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
            data-stored
            onInput={(event) => type({ freeText: event.currentTarget.value })}
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
