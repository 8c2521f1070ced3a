import type { Membership } from '@svc/contract';
import { CopyButton } from '@svc/web-app/components/copy';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { Button, EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { call, lists, request, session, showToast } from '../app.ts';
import { Switch } from '../components/switch.tsx';
import { AvailabilityCard } from './availability.tsx';
import { Invitations } from './offers.tsx';
import { Sharing } from './sharing.tsx';

export function Firms() {
  const words = allTexts.value;
  const firms = session.profile.value?.firms ?? [];
  return (
    <>
      <ScreenHeader title={words.nav.firms} />
      <Invitations />
      {firms.length === 0 && (
        <EmptyState title={words.firms.none} icon="firms">
          <p>{words.firms.noneMore}</p>
        </EmptyState>
      )}
      <ul class="list">
        {firms.map((firm) => (
          <li key={firm.firm_id}>
            <FirmCard firm={firm} />
          </li>
        ))}
      </ul>
      {firms.length > 0 && <AvailabilityCard />}
      <section class="card">
        <h2>{words.firms.svcId}</h2>
        <div class="row spread">
          <code>{session.profile.value?.svc_id}</code>
          <CopyButton text={session.profile.value?.svc_id ?? ''} />
        </div>
      </section>
    </>
  );
}

function FirmCard({ firm }: { firm: Membership }) {
  const words = allTexts.value;
  const [busy, during] = useBusy();
  const [leaving, setLeaving] = useState(false);
  const [sharing, setSharing] = useState(false);
  const change = (work: () => Promise<unknown>): Promise<void> =>
    during(async () => {
      await request(work);
      await lists.refresh();
    });
  const params = { firm_id: firm.firm_id };
  const accepting = firm.accepting_assignments;
  const toggle = () =>
    change(() => call('updateMembership', { params, body: { accepting_assignments: !accepting } }));
  const leave = () =>
    change(async () => {
      await call('leaveFirm', { params });
      showToast(words.firms.left(firm.firm_name));
      setLeaving(false);
    });
  const titleId = `firm-${firm.firm_id}`;
  return (
    <section class="card" aria-labelledby={titleId}>
      <h2 id={titleId}>{firm.firm_name}</h2>
      <Switch
        label={words.firms.taking}
        of={firm.firm_name}
        checked={accepting}
        disabled={busy}
        turn={() => void toggle()}
      />
      <p class="muted">{accepting ? words.firms.takingOn : words.firms.takingOff}</p>
      {!firm.can_accept_claims && <p class="strong">{words.firms.notAllowed}</p>}
      <Button kind="quiet" onClick={() => setSharing(true)}>
        {words.sharing.open}
      </Button>
      {sharing && <Sharing firm={firm} close={() => setSharing(false)} />}
      <Button kind="quiet" onClick={() => setLeaving(true)}>
        {words.firms.leave}
      </Button>
      {leaving && (
        <FormDialog
          {...{ title: words.firms.leaveTitle(firm.firm_name), act: words.firms.leaveConfirm, submit: leave }}
          kind="danger"
          close={() => setLeaving(false)}
        >
          <ul class="points">
            {words.firms.leavePoints.map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        </FormDialog>
      )}
    </section>
  );
}
