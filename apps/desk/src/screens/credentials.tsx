import { Dialog } from '@svc/web-app/components/dialog';
import { Facts } from '@svc/web-app/components/facts';
import { Button } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { call, day, perform, texts } from '../app.ts';
import type { BoardAdjuster, SharedCredentials } from '../endpoints.ts';
import { displayName } from '../state/offers.ts';

/** What an adjuster has entered, and lets the firm see. */
export function Credentials(props: { readonly adjuster: BoardAdjuster; readonly close: () => void }) {
  const words = texts.value.credentials;
  const { adjuster, close } = props;
  const [shared, setShared] = useState<SharedCredentials>();
  useEffect(() => {
    const params = { svc_id: adjuster.svc_id };
    const read = async () => setShared(await call('getSharedCredentials', { params }));
    void perform(read, '').then((isRead) => !isRead && close());
  }, []);
  return (
    <Dialog title={words.title(displayName(adjuster))} close={close}>
      <div class="form">
        {shared !== undefined && (
          <>
            <p class="muted">{words.lead}</p>
            {shared.fcn === undefined && shared.licenses.length === 0 && <p>{words.none}</p>}
            <Facts
              facts={[
                shared.fcn === undefined
                  ? null
                  : [
                      `FCN ${shared.fcn.number}`,
                      words.held(
                        shared.fcn.categories.map((one) => words.categories[one] ?? one).join(', '),
                        day(shared.fcn.expires_on),
                      ),
                    ],
                ...shared.licenses.map(
                  ({ state, kind, number, expires_on }) =>
                    [`${state} ${number}`, words.held(words.kinds[kind] ?? kind, day(expires_on))] as const,
                ),
              ]}
            />
          </>
        )}
        <Button onClick={close}>{texts.value.close}</Button>
      </div>
    </Dialog>
  );
}
