import { KEY_PURPOSES } from '@svc/contract';
import { Field } from '@svc/web-app/components/field';
import { ConfirmButton, FormDialog } from '@svc/web-app/components/form-dialog';
import { PagedRows } from '@svc/web-app/components/paged-rows';
import { Select } from '@svc/web-app/components/select';
import { Button, EmptyState, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import {
  call,
  can,
  dateTime,
  day,
  desk,
  duration,
  environment,
  perform,
  request,
  session,
  texts,
} from '../app.ts';
import { useList } from '../components/use-list.ts';
import type { ApiKey, FirmLimits } from '../endpoints.ts';
import { isKeyOver, makersOf } from '../state/keys.ts';

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
  const allowed = session.profile.value?.key_purposes[environment.value] ?? [];
  const makers = makersOf(list.rows.value ?? []);
  const rename = (key: ApiKey, name: string): Promise<boolean> =>
    perform(() => call('updateKey', { params: { key_id: key.id }, body: { name } })).then(async (isDone) => {
      if (isDone) await list.refresh();
      return isDone;
    });
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
      {can('keys:write') &&
        (allowed.length > 0 ? (
          <div class="row">
            <Button kind="primary" onClick={() => setIssuing({})}>
              {words.create}
            </Button>
          </div>
        ) : (
          <p class="muted">{words.notAllowed}</p>
        ))}
      {makers.map((maker) => (
        <Note key={maker.staff_id} kind="warning">
          <p>{words.attention[maker.reason](maker.name, maker.count)}</p>
          {can('keys:write') && (
            <RevokeKeysOf {...maker} run={() => revokeOf(maker.staff_id).then(() => list.refresh())} />
          )}
        </Note>
      ))}
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
            roll={allowed.includes(key.purpose) ? () => setIssuing({ replaced: key }) : undefined}
            rename={(name) => rename(key, name)}
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

/** Revokes all working keys that the person made. */
export const revokeOf = (staffId: string): Promise<boolean> =>
  perform(() => call('revokeKeysOfMaker', { body: { staff_id: staffId } }));

export function RevokeKeysOf(props: { readonly name: string; readonly run: () => Promise<unknown> }) {
  const words = texts.value.keys;
  return (
    <ConfirmButton {...{ act: words.revokeAll, title: words.revokeAllOf(props.name), run: props.run }}>
      <p>{words.revokeLead}</p>
    </ConfirmButton>
  );
}

function Row(props: {
  readonly apiKey: ApiKey;
  readonly use: FirmLimits['keys'][number] | undefined;
  /** Undefined where the role may not create such a key. */
  readonly roll: (() => void) | undefined;
  readonly rename: (name: string) => Promise<boolean>;
  readonly revoke: () => Promise<void>;
}) {
  const words = texts.value.keys;
  const { apiKey, use } = props;
  const [isRenaming, setIsRenaming] = useState(false);
  const { revoked_at, expires_at, last_used_at, limits, created_by } = apiKey;
  const isOver = isKeyOver(apiKey, desk.now.value);
  return (
    <div class="wide-row">
      <span class="cell name">
        {apiKey.name !== null && <span class="strong line">{apiKey.name}</span>}
        <code>{apiKey.id}</code>
        <span class="line muted">
          {words.purposes[apiKey.purpose] ?? apiKey.purpose} ·{' '}
          {words.created(dateTime(apiKey.created_at), created_by.name)}
        </span>
        {apiKey.attention !== null && (
          <span class="pill warning">{words.attentions[apiKey.attention] ?? apiKey.attention}</span>
        )}
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
        {isOver && <span class="pill error">{revoked_at === null ? words.expired : words.revoked}</span>}
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
            {props.roll !== undefined && <Button onClick={props.roll}>{words.roll}</Button>}
            <Button onClick={() => setIsRenaming(true)}>{words.rename}</Button>
            <ConfirmButton {...{ act: words.revoke, title: words.revoke, run: props.revoke }}>
              <code>{apiKey.id}</code>
              <p>{words.revokeLead}</p>
            </ConfirmButton>
          </>
        )}
        {isRenaming && (
          <FormDialog
            title={words.rename}
            close={() => setIsRenaming(false)}
            submit={async (text) => {
              if (await props.rename(text('name'))) setIsRenaming(false);
            }}
          >
            <Field
              label={texts.value.board.name}
              name="name"
              defaultValue={apiKey.name ?? ''}
              maxLength={100}
              required
            />
          </FormDialog>
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
  const allowed = session.profile.value?.key_purposes[environment.value] ?? [];
  const purposes = KEY_PURPOSES.filter((one) => allowed.includes(one));
  const [purpose, setPurpose] = useState(purposes[0]);
  const [days, setDays] = useState<number>(0);
  const [hours, setHours] = useState<number>(24);
  const issue = (name: string) => {
    if (replaced !== undefined)
      return call('rollKey', { params: { key_id: replaced.id }, body: { overlap_hours: hours } });
    const body = {
      environment: environment.value,
      ...(purpose !== undefined && { purpose }),
      ...(days > 0 && { expires_in_days: days }),
      ...(name !== '' && { name }),
    };
    return call('createKey', { body });
  };
  return (
    <FormDialog
      {...{ title: replaced === undefined ? words.create : words.roll, close: props.close }}
      submit={(text) => perform(async () => props.done((await issue(text('name'))).secret), '')}
    >
      <p>
        <span class="badge">{texts.value.environment[environment.value]}</span> <code>{replaced?.id}</code>
      </p>
      {replaced === undefined ? (
        <>
          <Field label={words.nameOptional} name="name" maxLength={100} />
          <Select
            label={words.purpose}
            options={purposes}
            value={purpose ?? 'full_access'}
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
