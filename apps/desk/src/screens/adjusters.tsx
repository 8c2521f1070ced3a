import { Dialog } from '@svc/web-app/components/dialog';
import { Field } from '@svc/web-app/components/field';
import { Button, EmptyState, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useEffect, useState } from 'preact/hooks';
import {
  adjusters,
  call,
  can,
  changes,
  dateTime,
  duration,
  environment,
  request,
  showError,
  showToast,
  texts,
} from '../app.ts';
import { LoadMore } from '../components/load-more.tsx';
import type { BoardAdjuster } from '../endpoints.ts';

const nameOf = ({ name, invited_as, svc_id }: BoardAdjuster): string => name ?? invited_as ?? svc_id;

/** The members of the firm and its invitations. */
export function Adjusters() {
  const words = texts.value.adjusters;
  const [typed, setTyped] = useState('');
  const [inviting, setInviting] = useState(false);
  const [withdrawn, setWithdrawn] = useState<BoardAdjuster>();
  useEffect(() => void adjusters.restart(), []);
  const changed = changes.value;
  useEffect(() => void (adjusters.rows.peek() !== undefined && adjusters.refresh()), [changed]);
  const { value: rows } = adjusters.rows;
  const wanted = typed.trim().toLowerCase();
  const found = (rows ?? [])
    .filter((one) => `${nameOf(one)} ${one.svc_id} ${one.email ?? ''}`.toLowerCase().includes(wanted))
    .map((adjuster) => ({ id: adjuster.svc_id, adjuster }));
  const withdraw = async (adjuster: BoardAdjuster): Promise<void> => {
    setWithdrawn(undefined);
    try {
      const params = { svc_id: adjuster.svc_id };
      const query = { environment: adjuster.test ? 'test' : 'live' };
      await request(() => call('withdrawBoardInvitation', { params, query }));
      showToast(() => words.withdrawn, 'success');
    } catch (error) {
      showError(error);
    }
    await adjusters.refresh();
  };
  return (
    <>
      <ScreenHeader title={texts.value.nav.adjusters} />
      <div class="filter-line">
        <Field
          label={words.find}
          name="find"
          autocomplete="off"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {can('adjusters:write') && (
          <Button kind="primary" onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        )}
      </div>
      {rows?.length === 0 && !adjusters.hasMore.value ? (
        <EmptyState title={words.none} icon="invite">
          <p>{words.noneMore}</p>
        </EmptyState>
      ) : (
        <WindowedList
          items={found}
          label={texts.value.nav.adjusters}
          row={({ adjuster }) => <Row adjuster={adjuster} withdraw={setWithdrawn} />}
        />
      )}
      <LoadMore list={adjusters} />
      {inviting && <Invite close={() => setInviting(false)} />}
      {withdrawn !== undefined && (
        <Dialog title={words.withdrawTitle(nameOf(withdrawn))} close={() => setWithdrawn(undefined)}>
          <div class="row">
            <Button kind="danger" onClick={() => void withdraw(withdrawn)}>
              {words.withdraw}
            </Button>
            <Button onClick={() => setWithdrawn(undefined)}>{texts.value.cancel}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Row(props: { readonly adjuster: BoardAdjuster; readonly withdraw: (one: BoardAdjuster) => void }) {
  const words = texts.value.adjusters;
  const { adjuster } = props;
  const isActive = adjuster.status === 'active';
  const isPaused = isActive && !adjuster.accepting_assignments;
  const isBarred = isActive && !adjuster.can_accept_claims;
  const median = adjuster.median_answer_seconds;
  return (
    <div class="adjuster-row">
      <span class="cell name">
        <span class="strong">{nameOf(adjuster)}</span> <TestBadge test={adjuster.test} />
        <span class="line muted">{adjuster.svc_id}</span>
        {adjuster.email !== null && <span class="line muted">{adjuster.email}</span>}
      </span>
      <span class="cell">
        <span class={`pill ${isBarred ? 'error' : isPaused ? 'warning' : isActive ? 'success' : 'neutral'}`}>
          {isBarred
            ? words.barred
            : isPaused
              ? words.paused
              : (words.statuses[adjuster.status] ?? adjuster.status)}
        </span>
        {adjuster.expires_at !== null && (
          <span class="line muted">{words.expires(dateTime(adjuster.expires_at))}</span>
        )}
      </span>
      {isActive ? (
        <dl class="figures">
          <div>
            <dt>{words.openOffers}</dt>
            <dd>{adjuster.open_offers}</dd>
          </div>
          <div>
            <dt>{words.openClaims}</dt>
            <dd>{adjuster.open_claims}</dd>
          </div>
          <div>
            <dt>{words.timeToAnswer}</dt>
            <dd>
              {median === null
                ? words.noAnswers
                : (duration(median * 1000) ?? texts.value.reports.underMinute)}
            </dd>
          </div>
        </dl>
      ) : (
        <span>
          {adjuster.status === 'pending' && can('adjusters:write') && (
            <Button onClick={() => props.withdraw(adjuster)}>{words.withdraw}</Button>
          )}
        </span>
      )}
    </div>
  );
}

function Invite({ close }: { readonly close: () => void }) {
  const words = texts.value.adjusters;
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string): string | undefined => String(data.get(name) ?? '').trim() || undefined;
    const [invited_as, purpose] = [text('name'), text('purpose')];
    const body = {
      svc_id: text('svc-id') ?? '',
      ...(invited_as !== undefined && { invited_as }),
      ...(purpose !== undefined && { purpose }),
    };
    setBusy(true);
    try {
      await request(() => call('inviteBoardAdjuster', { query: { environment: environment.value }, body }));
      showToast(() => words.invited, 'success');
      close();
      await adjusters.refresh();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.invite} close={close}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <Field label={words.svcId} name="svc-id" autocomplete="off" spellcheck={false} required />
        <Field label={words.name} name="name" autocomplete="off" maxLength={200} />
        <Field label={words.purpose} name="purpose" autocomplete="off" maxLength={500} />
        <div class="row">
          <Button kind="primary" type="submit" busy={busy}>
            {words.send}
          </Button>
          <Button onClick={close}>{texts.value.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
