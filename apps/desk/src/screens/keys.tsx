import { KEY_PURPOSES } from '@svc/contract';
import { ConfirmButton, FormDialog } from '@svc/web-app/components/form-dialog';
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

/** The firm's API keys. A secret is shown once, and kept nowhere. */
export function Keys() {
  const words = texts.value.keys;
  const list = useList(100, (query) => call('listKeys', { query }));
  const [issuing, setIssuing] = useState<{ readonly replaced?: ApiKey }>();
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
  const done = (text: string): void => {
    setIssuing(undefined);
    desk.secret.value = { title: words.secret, text };
    void list.refresh();
  };
  const revoke = async ({ id }: ApiKey): Promise<void> => {
    await perform(() => call('revokeKey', { params: { key_id: id } }), '');
    await list.refresh();
  };
  return (
    <>
      <ScreenHeader title={texts.value.nav.keys} />
      {can('keys:write') && (
        <div class="row">
          <Button kind="primary" onClick={() => setIssuing({})}>
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
          <Row
            apiKey={key}
            use={limits?.keys.find(({ key_id }) => key_id === key.id)}
            roll={() => setIssuing({ replaced: key })}
            revoke={() => revoke(key)}
          />
        )}
        empty={<EmptyState title={texts.value.none} icon="settings" />}
      />
      {issuing !== undefined && (
        <IssueDialog replaced={issuing.replaced} close={() => setIssuing(undefined)} done={done} />
      )}
    </>
  );
}

function Row(props: {
  readonly apiKey: ApiKey;
  readonly use: FirmLimits['keys'][number] | undefined;
  readonly roll: () => void;
  readonly revoke: () => Promise<void>;
}) {
  const words = texts.value.keys;
  const { apiKey, use } = props;
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
            <Button onClick={props.roll}>{words.roll}</Button>
            <ConfirmButton {...{ act: words.revoke, title: words.revoke, run: props.revoke }}>
              <code>{apiKey.id}</code>
              <p>{words.revokeLead}</p>
            </ConfirmButton>
          </>
        )}
      </span>
    </div>
  );
}

function IssueDialog(props: {
  readonly replaced: ApiKey | undefined;
  readonly close: () => void;
  readonly done: (secret: string) => void;
}) {
  const words = texts.value.keys;
  const { replaced } = props;
  const [purpose, setPurpose] = useState<(typeof KEY_PURPOSES)[number]>('full_access');
  const [days, setDays] = useState<number>(0);
  const [hours, setHours] = useState<number>(24);
  const issue = () => {
    if (replaced !== undefined)
      return call('rollKey', { params: { key_id: replaced.id }, body: { overlap_hours: hours } });
    const body = { environment: environment.value, purpose, ...(days > 0 && { expires_in_days: days }) };
    return call('createKey', { body });
  };
  return (
    <FormDialog
      {...{ title: replaced === undefined ? words.create : words.roll, close: props.close }}
      submit={() => perform(async () => props.done((await issue()).secret), '')}
    >
      <p>
        <span class="badge">{texts.value.environment[environment.value]}</span> <code>{replaced?.id}</code>
      </p>
      {replaced === undefined ? (
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
      ) : (
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
