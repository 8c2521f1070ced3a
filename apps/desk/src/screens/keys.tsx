import { KEY_PURPOSES } from '@svc/contract';
import { CopyButton } from '@svc/web-app/components/copy';
import { Dialog } from '@svc/web-app/components/dialog';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { PagedRows } from '@svc/web-app/components/paged-rows';
import { Select } from '@svc/web-app/components/select';
import { Button, EmptyState, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { call, can, dateTime, day, desk, duration, environment, perform, request, texts } from '../app.ts';
import { useList } from '../components/use-list.ts';
import type { ApiKey, FirmLimits } from '../endpoints.ts';

const EXPIRY_DAYS = [0, 30, 90, 365] as const;
const OVERLAP_HOURS = [0, 1, 24, 168] as const;
const LIMITS_MS = 5000;
const HOUR_MS = 60 * 60 * 1000;

type Action = { readonly what: 'create' } | { readonly what: 'roll' | 'revoke'; readonly key: ApiKey };

/** The firm's API keys. A secret is shown once, and kept nowhere. */
export function Keys() {
  const words = texts.value.keys;
  const list = useList(100, (query) => call('listKeys', { query }));
  const [action, setAction] = useState<Action>();
  const [secret, setSecret] = useState<string>();
  const [limits, setLimits] = useState<FirmLimits>();
  useEffect(() => {
    void list.restart();
    const read = async (): Promise<void> => {
      if (!document.hidden) await request(() => call('getLimits')).then(setLimits, () => {});
    };
    void read();
    const timer = setInterval(read, LIMITS_MS);
    return () => clearInterval(timer);
  }, []);
  const limited = (limits?.days ?? [])
    .map(({ date, [environment.value]: count }) => ({ date, count }))
    .filter(({ count }) => count > 0);
  const keys = list.rows.value?.filter((key) => key.environment === environment.value);
  const done = (issued?: string): void => {
    setAction(undefined);
    setSecret(issued);
    void list.refresh();
  };
  return (
    <>
      <ScreenHeader title={texts.value.nav.keys} />
      {can('keys:write') && (
        <div class="row">
          <Button kind="primary" onClick={() => setAction({ what: 'create' })}>
            {words.create}
          </Button>
        </div>
      )}
      {limited.length > 0 && (
        <Note kind="warning">
          <p>{words.rateLimited(limited.reduce((sum, { count }) => sum + count, 0))}</p>
          <p>{limited.map(({ date, count }) => `${day(date)}: ${count}`).join(' · ')}</p>
        </Note>
      )}
      <PagedRows
        {...{ list, rows: keys, label: texts.value.nav.keys }}
        row={(key) => (
          <Row apiKey={key} use={limits?.keys.find(({ key_id }) => key_id === key.id)} start={setAction} />
        )}
        empty={<EmptyState title={words.none} icon="settings" />}
      />
      {action !== undefined && (
        <ActionDialog action={action} close={() => setAction(undefined)} done={done} />
      )}
      {secret !== undefined && (
        <Secret title={words.secret} secret={secret} close={() => setSecret(undefined)} />
      )}
    </>
  );
}

function Row(props: {
  readonly apiKey: ApiKey;
  readonly use: FirmLimits['keys'][number] | undefined;
  readonly start: (action: Action) => void;
}) {
  const words = texts.value.keys;
  const { apiKey, use, start } = props;
  const { revoked_at, expires_at, last_used_at, limits } = apiKey;
  const isOver = revoked_at !== null || (expires_at !== null && Date.parse(expires_at) < desk.now.value);
  return (
    <div class="wide-row">
      <span class="cell name">
        <code>{apiKey.id}</code>
        <span class="line muted">
          {words.purposes[apiKey.purpose] ?? apiKey.purpose} · {words.created(dateTime(apiKey.created_at))}
        </span>
        <span class="line muted">{words.limits(limits.requests_per_minute, limits.writes_per_minute)}</span>
        {use !== undefined && (
          <span class="line">
            <meter
              max={limits.burst}
              high={limits.burst * 0.8}
              value={use.used.requests}
              aria-hidden="true"
            />{' '}
            {words.used(use.used.requests, limits.burst)}
            {use.rate_limited > 0 && <span class="line">{words.rateLimited(use.rate_limited)}</span>}
          </span>
        )}
      </span>
      <span class="cell">
        <span class="badge">{texts.value.environment[environment.value]}</span>{' '}
        {isOver && (
          <span class="pill error">
            {revoked_at === null ? texts.value.adjusters.statuses.expired : words.revoked}
          </span>
        )}
        <span class="line muted">
          {last_used_at === null
            ? texts.value.passkeys.unused
            : texts.value.sessions.used(dateTime(last_used_at))}
        </span>
        {!isOver && expires_at !== null && (
          <span class="line muted">{texts.value.adjusters.expires(dateTime(expires_at))}</span>
        )}
      </span>
      <span class="row">
        {can('keys:write') && !isOver && (
          <>
            <Button onClick={() => start({ what: 'roll', key: apiKey })}>{words.roll}</Button>
            <Button onClick={() => start({ what: 'revoke', key: apiKey })}>{words.revoke}</Button>
          </>
        )}
      </span>
    </div>
  );
}

function ActionDialog(props: {
  readonly action: Action;
  readonly close: () => void;
  readonly done: (secret?: string) => void;
}) {
  const words = texts.value.keys;
  const { action } = props;
  const [purpose, setPurpose] = useState<(typeof KEY_PURPOSES)[number]>('full_access');
  const [days, setDays] = useState<number>(0);
  const [hours, setHours] = useState<number>(24);
  const run = async (): Promise<string | undefined> => {
    if (action.what === 'create') {
      const body = { environment: environment.value, purpose, ...(days > 0 && { expires_in_days: days }) };
      return (await call('createKey', { body })).secret;
    }
    const params = { key_id: action.key.id };
    if (action.what === 'roll')
      return (await call('rollKey', { params, body: { overlap_hours: hours } })).secret;
    await call('revokeKey', { params });
  };
  return (
    <FormDialog
      {...{ title: words[action.what], close: props.close }}
      kind={action.what === 'revoke' ? 'danger' : 'primary'}
      submit={() => perform(async () => props.done(await run()), '')}
    >
      <p>
        <span class="badge">{texts.value.environment[environment.value]}</span>{' '}
        {action.what !== 'create' && <code>{action.key.id}</code>}
      </p>
      {action.what === 'revoke' && <p>{words.revokeLead}</p>}
      {action.what === 'create' && (
        <>
          <Select
            label={words.purpose}
            options={KEY_PURPOSES}
            value={purpose}
            name={(one) => words.purposes[one] ?? one}
            choose={setPurpose}
          />
          <Select
            label={words.lifetime}
            options={EXPIRY_DAYS}
            value={days}
            name={(count) => duration(count * 24 * HOUR_MS) ?? words.forever}
            choose={setDays}
          />
        </>
      )}
      {action.what === 'roll' && (
        <Select
          label={words.overlap}
          options={OVERLAP_HOURS}
          value={hours}
          name={(count) => duration(count * HOUR_MS) ?? words.noOverlap}
          choose={setHours}
        />
      )}
    </FormDialog>
  );
}

/** Shown once: the service keeps only a hash of it. */
export function Secret(props: {
  readonly title: string;
  readonly secret: string;
  readonly close: () => void;
}) {
  const { title, secret, close } = props;
  const use = (): void => {
    desk.sandbox.key.value = secret;
    location.hash = '#/sandbox';
  };
  return (
    <Dialog title={title} close={close}>
      <Note kind="warning">{texts.value.keys.once}</Note>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <div class="row">
        <CopyButton text={secret} />
        {secret.startsWith('svc_test_') && can('sandbox:write') && (
          <Button onClick={use}>{texts.value.sandbox.use}</Button>
        )}
        <Button onClick={close}>{texts.value.close}</Button>
      </div>
    </Dialog>
  );
}
