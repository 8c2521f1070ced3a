import { Field } from '@svc/web-app/components/field';
import { ConfirmButton, FormDialog } from '@svc/web-app/components/form-dialog';
import { LoadMore } from '@svc/web-app/components/load-more';
import { Button, EmptyState, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import {
  call,
  can,
  dateTime,
  dateTimeSeconds,
  desk,
  environment,
  perform,
  request,
  showError,
  texts,
} from '../app.ts';
import { StatusPill } from '../components/status.tsx';
import { useList } from '../components/use-list.ts';
import type { AttemptedWebhook, Delivery, Webhook } from '../endpoints.ts';
import { DOCS } from '../root.ts';
import { healthOf } from '../state/deliveries.ts';

/** While the deliveries of an endpoint are shown. */
const REFRESH_MS = 5000;

/** Endpoints of the firm's systems that are called about changes, and the deliveries to each. */
export function Webhooks() {
  const words = texts.value.webhooks;
  const [webhooks, setWebhooks] = useState<readonly Webhook[]>();
  const [adding, setAdding] = useState(false);
  const read = () => request(() => call('listWebhooks')).then(({ data }) => setWebhooks(data), showError);
  useEffect(() => void read(), []);
  const run = async (work: () => Promise<{ readonly secret?: string | null } | undefined>): Promise<void> => {
    const done = await perform(async () => {
      const text = (await work())?.secret;
      if (text != null) desk.secret.value = { title: words.secret, text };
    }, '');
    if (done) setAdding(false);
    await read();
  };
  const shown = webhooks?.filter((one) => one.environment === environment.value);
  return (
    <>
      <ScreenHeader title={texts.value.nav.webhooks} />
      <p class="muted">
        {words.lead} <a href={`${DOCS}webhooks`}>{texts.value.guide}</a>
      </p>
      {can('webhooks:write') && (
        <div class="row">
          <Button kind="primary" onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        </div>
      )}
      {shown?.length === 0 && <EmptyState title={words.none} icon="cloud" />}
      {shown?.map((webhook) => (
        <Endpoint key={webhook.id} webhook={webhook} run={run} />
      ))}
      {adding && (
        <FormDialog
          title={words.add}
          close={() => setAdding(false)}
          submit={(data) =>
            void run(() =>
              call('createWebhook', { body: { url: data('url'), environment: environment.value } }),
            )
          }
        >
          <Field label={words.url} name="url" spellcheck={false} required placeholder="https://" />
        </FormDialog>
      )}
    </>
  );
}

function Endpoint(props: {
  readonly webhook: Webhook;
  readonly run: (work: () => Promise<{ readonly secret?: string | null } | undefined>) => Promise<void>;
}) {
  const words = texts.value.webhooks;
  const { webhook, run } = props;
  const params = { webhook_id: webhook.id };
  const isActive = webhook.state === 'active';
  const list = useList(20, (query) => call('listWebhookDeliveries', { params, query }));
  const [open, setOpen] = useState(false);
  /** What the endpoint responded, by the delivery: the service does not store it. */
  const [bodies, setBodies] = useState<Readonly<Record<string, string | null>>>({});
  const send = async (work: () => Promise<AttemptedWebhook>): Promise<void> => {
    await run(async () => {
      const { id, response_body } = await work();
      setBodies((before) => ({ ...before, [id]: response_body }));
      return undefined;
    });
    setOpen(true);
    await list.refresh();
  };
  const update = (body: { readonly state?: 'paused' | 'active'; readonly roll_secret?: true }): void =>
    void run(() => call('updateWebhook', { params, body }));
  useEffect(() => void list.restart(), []);
  useEffect(() => {
    if (!open) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !list.isReading.value) void list.refresh();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [open]);
  return (
    <section class="card" aria-label={webhook.url}>
      <div class="row spread">
        <code>{webhook.url}</code>
        <span class="row">
          <TestBadge test={webhook.environment === 'test'} />
          <span class={`pill ${isActive ? 'success' : 'error'}`}>
            {isActive
              ? words.active
              : (words.reasons[webhook.paused_reason ?? ''] ?? texts.value.adjusters.paused)}
          </span>
        </span>
      </div>
      <Health deliveries={list.rows.value ?? []} />
      {webhook.previous_secret_until !== null && (
        <p class="muted">{words.bothSecrets(dateTime(webhook.previous_secret_until))}</p>
      )}
      {can('webhooks:write') && (
        <div class="row">
          <Button onClick={() => void send(() => call('testWebhook', { params }))}>{words.ping}</Button>
          <Button onClick={() => update({ state: isActive ? 'paused' : 'active' })}>
            {texts.value.sandbox.commands[isActive ? 'pause' : 'resume']}
          </Button>
          <Button onClick={() => update({ roll_secret: true })}>{words.roll}</Button>
          <ConfirmButton
            {...{ act: texts.value.remove, title: words.removeTitle }}
            run={() => run(() => call('removeWebhook', { params }))}
          >
            <code>{webhook.url}</code>
          </ConfirmButton>
        </div>
      )}
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{words.deliveries}</summary>
        <ul class="history" aria-label={words.deliveries}>
          {list.rows.value?.map((delivery) => (
            <li key={delivery.id}>
              <p>
                <code>{delivery.type}</code>{' '}
                <StatusPill status={delivery.status} name={words.statuses[delivery.status]} />{' '}
                <span class="muted">{dateTimeSeconds(delivery.created_at)}</span>
              </p>
              <p class="muted">
                webhook-id <code>{delivery.id}</code>
              </p>
              {delivery.attempts.map(({ at, status, error, duration_ms }) => (
                <p key={at} class="muted">
                  {dateTimeSeconds(at)} · {reasonOf({ status, error })} · {duration_ms} ms
                </p>
              ))}
              {bodies[delivery.id] && (
                <p>
                  {words.response} <code>{bodies[delivery.id]}</code>
                </p>
              )}
              {delivery.next_attempt_at !== null && (
                <p class="muted">{words.next(dateTimeSeconds(delivery.next_attempt_at))}</p>
              )}
              {can('webhooks:write') && (
                <Button
                  onClick={() =>
                    void send(() => call('replayWebhookDelivery', { params: { delivery_id: delivery.id } }))
                  }
                >
                  {words.replay}
                </Button>
              )}
            </li>
          ))}
        </ul>
        {list.rows.value?.length === 0 && <p class="muted">{texts.value.none}</p>}
        {open && <LoadMore list={list} />}
      </details>
    </section>
  );
}

/** The status of the response, or why there was none. */
const reasonOf = ({ status, error }: Pick<Delivery['attempts'][number], 'status' | 'error'>): string =>
  String(status ?? texts.value.webhooks.errors[error ?? ''] ?? error);

function Health({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const words = texts.value.webhooks;
  const { deliveredAt, waiting, failed, next } = healthOf(deliveries);
  const facts = [
    deliveredAt && words.lastDelivered(dateTimeSeconds(deliveredAt)),
    waiting > 0 && words.waiting(waiting),
    failed && words.lastFailed(reasonOf(failed), dateTimeSeconds(failed.at)),
    next && words.next(dateTimeSeconds(next)),
  ];
  return <p role="status">{facts.filter(Boolean).join(' · ')}</p>;
}
