import { Field } from '@svc/web-app/components/field';
import { ConfirmButton, FormDialog, type FormText } from '@svc/web-app/components/form-dialog';
import { lazy } from '@svc/web-app/components/lazy';
import { PagedRows } from '@svc/web-app/components/paged-rows';
import { Button, EmptyState, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { adjusters, answerTime, call, can, dateTime, desk, environment, perform, texts } from '../app.ts';
import type { BoardAdjuster } from '../endpoints.ts';
import { byWork, displayName, hasWords } from '../state/offers.ts';

const InviteMany = lazy(async () => (await import('./invite-many.tsx')).InviteMany);
const Credentials = lazy(async () => (await import('./credentials.tsx')).Credentials);

const isActive = ({ status }: BoardAdjuster): boolean => status === 'active';

/** The members of the firm, those who are free first, and its invitations. */
export function Adjusters() {
  const words = texts.value.adjusters;
  const [typed, setTyped] = useState('');
  const [inviting, setInviting] = useState<'one' | 'many'>();
  const close = (): void => setInviting(undefined);
  useEffect(() => void desk.readAdjusters(), [desk.changes.value]);
  const found = adjusters.rows.value
    ?.filter((one) => hasWords(one, typed))
    .toSorted((one, other) => Number(isActive(other)) - Number(isActive(one)) || byWork(one, other))
    .map((adjuster) => ({ id: adjuster.svc_id, adjuster }));
  return (
    <>
      <ScreenHeader title={texts.value.nav.adjusters} />
      <div class="filter-line">
        <Field
          label={texts.value.offer.find}
          name="find"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {can('adjusters:write') && (
          <>
            <Button kind="primary" onClick={() => setInviting('one')}>
              {words.invite}
            </Button>
            <Button onClick={() => setInviting('many')}>{words.inviteMany}</Button>
          </>
        )}
      </div>
      <PagedRows
        {...{ list: adjusters, rows: found, label: texts.value.nav.adjusters }}
        row={({ adjuster }) => <Row adjuster={adjuster} />}
        empty={<EmptyState title={typed === '' ? words.none : texts.value.none} icon="invite" />}
      />
      {inviting === 'one' && <Invite close={close} />}
      {inviting === 'many' && <InviteMany close={close} />}
    </>
  );
}

async function withdraw({ svc_id, test }: BoardAdjuster): Promise<void> {
  const query = { environment: test ? 'test' : 'live' };
  await perform(() => call('withdrawBoardInvitation', { params: { svc_id }, query }));
  await adjusters.refresh();
}

function openedText({ seen_at, reminded_at }: BoardAdjuster): string {
  const words = texts.value.adjusters;
  if (seen_at !== null) return words.opened(dateTime(seen_at));
  return reminded_at === null ? words.unopened : words.reminded(dateTime(reminded_at));
}

function Row({ adjuster }: { readonly adjuster: BoardAdjuster }) {
  const words = texts.value.adjusters;
  const [isOpen, setIsOpen] = useState(false);
  const [state, kind] = !isActive(adjuster)
    ? [words.statuses[adjuster.status] ?? adjuster.status, 'neutral']
    : !adjuster.can_accept_claims
      ? [words.barred, 'error']
      : adjuster.accepting_assignments
        ? [words.statuses.active, 'success']
        : [words.paused, 'warning'];
  return (
    <div class="wide-row">
      <span class="cell name">
        <span class="strong">{displayName(adjuster)}</span> <TestBadge test={adjuster.test} />
        <span class="line muted">{adjuster.svc_id}</span>
        {adjuster.email !== null && <span class="line muted">{adjuster.email}</span>}
      </span>
      <span class="cell">
        <span class={`pill ${kind}`}>{state}</span>
        {adjuster.expires_at !== null && (
          <>
            <span class="line muted">{words.expires(dateTime(adjuster.expires_at))}</span>
            <span class="line muted">{openedText(adjuster)}</span>
          </>
        )}
      </span>
      {isActive(adjuster) ? (
        <span class="cell">
          {texts.value.offer.load(adjuster.open_offers, adjuster.open_claims)}
          <span class="line muted">
            {texts.value.reports.median}: {answerTime(adjuster.median_answer_seconds)}
          </span>
          {adjuster.shares_credentials && (
            <Button
              aria-label={texts.value.credentials.title(displayName(adjuster))}
              onClick={() => setIsOpen(true)}
            >
              {texts.value.credentials.open}
            </Button>
          )}
          {isOpen && <Credentials adjuster={adjuster} close={() => setIsOpen(false)} />}
        </span>
      ) : (
        <span>
          {adjuster.status === 'pending' && can('adjusters:write') && (
            <ConfirmButton
              {...{ act: words.withdraw, title: words.withdrawTitle(displayName(adjuster)) }}
              run={() => withdraw(adjuster)}
            />
          )}
        </span>
      )}
    </div>
  );
}

function Invite({ close }: { readonly close: () => void }) {
  const words = texts.value.adjusters;
  const submit = async (data: FormText): Promise<void> => {
    const optional = (name: 'invited_as' | 'purpose') => (data(name) === '' ? {} : { [name]: data(name) });
    const body = { svc_id: data('svc-id'), ...optional('invited_as'), ...optional('purpose') };
    const query = { environment: environment.value };
    if (await perform(() => call('inviteBoardAdjuster', { query, body }))) close();
    await adjusters.refresh();
  };
  return (
    <FormDialog {...{ title: words.invite, act: words.send, close, submit }}>
      <Field label="SVCID" name="svc-id" spellcheck={false} required />
      <Field label={words.name} name="invited_as" maxLength={200} />
      <Field label={words.purpose} name="purpose" maxLength={500} />
    </FormDialog>
  );
}
