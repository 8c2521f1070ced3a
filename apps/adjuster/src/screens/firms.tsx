import '../components/switch.css';
import type { Membership } from '@svc/contract';
import { CopyButton } from '@svc/web-app/components/copy';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { Button, EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { call, lists, request, session, showError, showToast } from '../app.ts';
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
  const [busy, setBusy] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const [sharing, setSharing] = useState(false);
  const whileBusy = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await request(work);
      await lists.refresh();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const params = { firm_id: firm.firm_id };
  const accepting = firm.accepting_assignments;
  const toggle = () =>
    whileBusy(() => call('updateMembership', { params, body: { accepting_assignments: !accepting } }));
  const leave = () =>
    whileBusy(async () => {
      await call('leaveFirm', { params });
      showToast(words.firms.left(firm.firm_name));
      setLeaving(false);
    });
  const titleId = `firm-${firm.firm_id}`;
  return (
    <section class="card" aria-labelledby={titleId}>
      <h2 id={titleId}>{firm.firm_name}</h2>
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={accepting}
        aria-label={`${words.firms.taking}: ${firm.firm_name}`}
        disabled={busy}
        onClick={() => void toggle()}
      >
        <span>{words.firms.taking}</span>
        <span class="track" aria-hidden="true" />
      </button>
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
