import type { AppClaim } from '@svc/contract';
import { Dialog } from '@svc/web-app/components/dialog';
import { Button } from '@svc/web-app/components/ui';
import { townOf } from '@svc/web-app/names';
import { allTexts } from '../all-texts.ts';
import { RejectDialog } from './reject-dialog.tsx';

/** Each name with how often it occurs: `Kenner, LA (3), Houma, LA`. */
const counted = (names: readonly string[]): string =>
  [...new Set(names)]
    .map((name) => {
      const count = names.filter((one) => one === name).length;
      return count === 1 ? name : `${name} (${count})`;
    })
    .join(' · ');

/** Confirms one answer to several offers. */
export function BulkDialog(props: {
  readonly kind: 'accept' | 'reject';
  readonly claims: readonly AppClaim[];
  readonly close: () => void;
  readonly confirm: (reason?: string) => void;
}) {
  const { kind, claims, close, confirm } = props;
  const words = allTexts.value;
  const about = (
    <>
      <p>{counted(claims.map(({ loss_location }) => townOf(loss_location)))}</p>
      <p class="strong">{counted(claims.map(({ firm }) => firm.name))}</p>
    </>
  );
  if (kind === 'reject')
    return (
      <RejectDialog
        title={words.bulk.reject(claims.length)}
        claimIds={claims.map(({ id }) => id)}
        close={close}
        confirm={confirm}
      >
        {about}
      </RejectDialog>
    );
  return (
    <Dialog title={words.bulk.accept(claims.length)} close={close}>
      {about}
      <div class="row">
        <Button kind="primary" onClick={() => confirm()}>
          {words.offers.acceptCount(claims.length)}
        </Button>
        <Button onClick={close}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}
