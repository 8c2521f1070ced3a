import { LIMITS } from '@svc/contract';
import { Field } from '@svc/web-app/components/field';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { offers, texts } from '../app.ts';
import { type ActProps, ClaimPoints, changeDraft, closeDraft } from '../components/act.tsx';
import type { ActKind } from '../state/offers.ts';

/** Says what withdrawing offers, or closing claims, will do. */
export function EndDialog({
  kind,
  claims,
  done,
  focusAfter,
}: ActProps & { readonly kind: Exclude<ActKind, 'offer'> }) {
  const words = texts.value.end;
  const { title, lead } = words[kind];
  const act =
    kind === 'close' && claims.length > 1 ? texts.value.board.acts.close(claims.length) : words[kind].act;
  const { typed = '' } = offers.draft.value ?? {};
  const countOf = (wanted: string): number => claims.filter(({ status }) => status === wanted).length;
  const [pending, accepted] = [countOf('pending_acceptance'), countOf('accepted')];
  const submit = (): void => {
    void offers.end(kind, claims, typed.trim());
    closeDraft();
    done?.();
  };
  return (
    <FormDialog
      title={title(claims.length)}
      kind="danger"
      {...{ act, close: closeDraft, submit, focusAfter }}
    >
      <ClaimPoints claims={claims} />
      <p>{lead}</p>
      {kind === 'close' && (
        <>
          {pending > 0 && <p>{words.pending(pending)}</p>}
          {accepted > 0 && <p>{words.accepted(accepted)}</p>}
          <Field
            label={words.reason}
            name="reason"
            maxLength={LIMITS.closureReason.max}
            value={typed}
            onInput={({ currentTarget }) => changeDraft({ typed: currentTarget.value })}
          />
        </>
      )}
    </FormDialog>
  );
}
