import { Field } from '@svc/web-app/components/field';
import { FormDialog, type FormText } from '@svc/web-app/components/form-dialog';
import { LoadMore } from '@svc/web-app/components/load-more';
import { Button, EmptyState, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useEffect, useState } from 'preact/hooks';
import { adjusters, call, can, changes, dateTime, duration, environment, perform, texts } from '../app.ts';
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
  const withdraw = async ({ svc_id, test }: BoardAdjuster): Promise<void> => {
    setWithdrawn(undefined);
    const query = { environment: test ? 'test' : 'live' };
    await perform(() => call('withdrawBoardInvitation', { params: { svc_id }, query }), words.withdrawn);
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
        <FormDialog
          title={words.withdrawTitle(nameOf(withdrawn))}
          act={words.withdraw}
          kind="danger"
          close={() => setWithdrawn(undefined)}
          submit={() => void withdraw(withdrawn)}
        />
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
    <div class="wide-row">
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
  const submit = async (data: FormText): Promise<void> => {
    const optional = (name: 'invited_as' | 'purpose') => (data(name) === '' ? {} : { [name]: data(name) });
    const body = { svc_id: data('svc-id'), ...optional('invited_as'), ...optional('purpose') };
    const query = { environment: environment.value };
    setBusy(true);
    const succeeded = await perform(() => call('inviteBoardAdjuster', { query, body }), words.invited);
    setBusy(false);
    if (succeeded) close();
    await adjusters.refresh();
  };
  return (
    <FormDialog
      {...{ title: words.invite, act: words.send, busy, close }}
      submit={(data) => void submit(data)}
    >
      <Field label={words.svcId} name="svc-id" autocomplete="off" spellcheck={false} required />
      <Field label={words.name} name="invited_as" autocomplete="off" maxLength={200} />
      <Field label={words.purpose} name="purpose" autocomplete="off" maxLength={500} />
    </FormDialog>
  );
}
