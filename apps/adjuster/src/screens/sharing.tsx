import type { Membership, Sharing as Shared } from '@svc/contract';
import { Dialog } from '@svc/web-app/components/dialog';
import { Button } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useEffect, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { call, request } from '../app.ts';
import { Switch } from '../components/switch.tsx';

const ITEMS = ['clocks', 'credentials', 'work_area'] as const satisfies readonly (keyof Shared)[];

/** What the adjuster lets one firm see. A switch shows what the service has confirmed, and nothing waits on the device. */
export function Sharing(props: { readonly firm: Membership; readonly close: () => void }) {
  const words = allTexts.value.sharing;
  const { firm, close } = props;
  const [shared, setShared] = useState<Shared>();
  const [busy, during] = useBusy();
  const params = { firm_id: firm.firm_id };
  const apply = (work: () => Promise<Shared>) => during(() => request(work).then(setShared));
  const read = () => apply(() => call('getSharing', { params }));
  useEffect(() => void read(), []);
  return (
    <Dialog title={words.title(firm.firm_name)} close={close}>
      <div class="form">
        <p>{words.lead}</p>
        {shared === undefined ? (
          <Button busy={busy} onClick={() => void read()}>
            {allTexts.value.network.tryAgain}
          </Button>
        ) : (
          ITEMS.map((item) => (
            <div key={item}>
              <Switch
                label={words.items[item]}
                checked={shared[item]}
                disabled={busy}
                turn={() =>
                  void apply(() => call('updateSharing', { params, body: { [item]: !shared[item] } }))
                }
              />
              <p class="muted">{words.more[item]}</p>
            </div>
          ))
        )}
        <Button onClick={close}>{words.done}</Button>
      </div>
    </Dialog>
  );
}
