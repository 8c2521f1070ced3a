import { type Adjuster, type Claim, ClaimsApiError, type Client, type FaultKind } from '@svc/client';
import { DEFAULT_REHEARSAL, eventClaim, FAULT_KINDS, SANDBOX_COMMANDS } from '@svc/sandbox';
import { CopyButton } from '@svc/web-app/components/copy';
import { Section } from '@svc/web-app/components/facts';
import { Field } from '@svc/web-app/components/field';
import { Select } from '@svc/web-app/components/select';
import { Button, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { saveFile } from '@svc/web-app/save-file';
import { useEffect, useState } from 'preact/hooks';
import { api, can, desk, showToast, texts } from '../app.ts';
import { ofService } from '../components/service-text.tsx';
import { statusName } from '../components/status.tsx';
import { DOCS, SERVICE_URL } from '../root.ts';
import { client as current, messageOf, rehearsal, startRehearsal, stopRehearsal } from '../state/sandbox.ts';

const ENDINGS = ['manual', 'accepts', 'rejects', 'paused', 'new', 'joins', 'declines'] as const;
/** By the status of an adjuster or a claim, the commands that can have an effect. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  pending: ['accept-invitation', 'decline-invitation', 'expire-invitation'],
  active: ['pause', 'resume', 'leave'],
  pending_acceptance: ['accept', 'reject', 'close'],
};
const CLAIM_AGE_MS = 24 * 60 * 60 * 1000;
const MAX_READ_CLAIMS = 1000;
const MAX_SHOWN_CLAIMS = 20;
const CLAIM_COUNTS = [10, 30, 60, 200, 1000] as const;
const MINUTES = [1, 6, DEFAULT_REHEARSAL.minutes, 30] as const;

interface Outcome {
  readonly what: string;
  readonly text: string;
  readonly problem: { readonly code: string; readonly requestId: string | null } | undefined;
}
type Perform = (what: string, work: () => Promise<unknown>) => Promise<void>;

/** Simulates adjusters and failures with a test key, which only the memory of this page keeps. */
export function Sandbox() {
  const words = texts.value.sandbox;
  const { value: client } = current;
  return (
    <>
      <ScreenHeader title={texts.value.nav.sandbox} />
      <p class="muted">
        {words.lead} <a href={`${DOCS}test-accounts`}>{texts.value.guide}</a>
      </p>
      {client === undefined ? <KeyForm /> : <Simulations key={desk.sandbox.key.value} client={client} />}
    </>
  );
}

function KeyForm() {
  const words = texts.value.sandbox;
  const [error, setError] = useState<string>();
  const use = (event: Event): void => {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget as HTMLFormElement).get('key')).trim();
    if (/^svc_test_\w+$/.test(typed)) desk.sandbox.key.value = typed;
    else setError(words.notTest);
  };
  return (
    <form class="card form" onSubmit={use}>
      <Field label={words.key} name="key" type="password" required error={error} />
      <p class="muted">
        {words.keyLead} <a href="#/keys">{texts.value.nav.keys}</a>
      </p>
      <div class="row">
        <Button kind="primary" type="submit">
          {words.use}
        </Button>
      </div>
    </form>
  );
}

function Simulations({ client }: { readonly client: Client }) {
  const words = texts.value.sandbox;
  const [accounts, setAccounts] = useState<readonly Adjuster[]>();
  const [claims, setClaims] = useState<readonly Claim[]>([]);
  const [outcome, setOutcome] = useState<Outcome>();
  const [busy, setBusy] = useState(false);
  const read = async (): Promise<void> => {
    const members: Adjuster[] = [];
    for await (const one of client.adjusters.list({ limit: 200 })) if (one.test) members.push(one);
    setAccounts(members);
    const latest: Claim[] = [];
    const filters = { updated_since: new Date(api.now() - CLAIM_AGE_MS), limit: 200 };
    for await (const claim of client.claims.list(filters)) {
      latest.push(claim);
      if (latest.length === MAX_READ_CLAIMS) break;
    }
    setClaims(latest.toReversed().slice(0, MAX_SHOWN_CLAIMS));
  };
  const note = (what: string, text: string, problem?: Outcome['problem']): void => {
    showToast(() => `${what}: ${problem?.code ?? words.done}`, problem === undefined ? 'success' : 'error');
    setOutcome({ what, text, problem });
  };
  const noteProblem = (what: string, error: unknown): void => {
    const { code, requestId } = error instanceof ClaimsApiError ? error : { code: null, requestId: null };
    note(what, messageOf(error), { code: code ?? words.noResponse, requestId });
  };
  const perform: Perform = async (what, work) => {
    setBusy(true);
    await work().then(
      (result) => note(what, JSON.stringify(result, null, 2)),
      (error: unknown) => noteProblem(what, error),
    );
    await read().catch((error: unknown) => noteProblem(words.refresh, error));
    setBusy(false);
  };
  const act = (command: string, { id }: Item, what: string) =>
    perform(what, async () => {
      const { signal } = new AbortController();
      if (command === 'invite') return client.adjusters.invite({ svc_id: id });
      return SANDBOX_COMMANDS.find(({ name }) => name === command)?.run(client.sandbox, id, { signal });
    });
  const refresh = () => perform(words.refresh, () => client.me());
  useEffect(() => void refresh(), []);
  const prefix = accounts?.[0]?.svc_id.match(/^test_.+_/)?.[0];
  return (
    <>
      <div class="row">
        <Button busy={busy} onClick={() => void refresh()}>
          {words.refresh}
        </Button>
        <Button onClick={() => (desk.sandbox.key.value = undefined)}>{words.forget}</Button>
      </div>
      {outcome !== undefined && <LatestOutcome {...outcome} />}
      {prefix !== undefined && (
        <Items
          {...{ title: words.accounts, act, busy }}
          items={ENDINGS.map((ending) => {
            const id = prefix + ending;
            const status = accounts?.find(({ svc_id }) => svc_id === id)?.status ?? '';
            const state = texts.value.adjusters.statuses[status] ?? status;
            return { id, name: id, state, commands: COMMANDS[status] ?? ['invite'] };
          })}
        />
      )}
      {claims.length > 0 && (
        <Items
          {...{ title: words.claims, act, busy }}
          items={claims.map(({ id, external_id, assignment: { status, adjuster_svc_id } }) => ({
            ...{ id, name: external_id, state: `${statusName(status)} · ${adjuster_svc_id}` },
            commands: COMMANDS[status] ?? ['close'],
          }))}
        />
      )}
      <Faults {...{ client, perform, busy }} />
      <RehearsalCard />
      {prefix !== undefined && <Samples svcId={`${prefix}accepts`} />}
    </>
  );
}

interface Item {
  readonly id: string;
  /** What it is called on the screen. */
  readonly name: string;
  readonly state: string;
  readonly commands: readonly string[];
}

const Items = (props: {
  readonly title: string;
  readonly items: readonly Item[];
  readonly busy: boolean;
  readonly act: (command: string, item: Item, what: string) => Promise<void>;
}) => (
  <Section title={props.title}>
    <ul class="history">
      {props.items.map((item) => (
        <li key={item.id}>
          <p>
            <code>{item.name}</code> <span class="muted">{item.state}</span>
          </p>
          <div class="row">
            {item.commands.map((command) => {
              const label = texts.value.sandbox.commands[command.replace('-invitation', '')] ?? command;
              const what = `${label} ${item.name}`;
              return (
                <Button
                  key={command}
                  busy={props.busy}
                  aria-label={what}
                  onClick={() => void props.act(command, item, what)}
                >
                  {label}
                </Button>
              );
            })}
          </div>
        </li>
      ))}
    </ul>
  </Section>
);

/** What the service said to the latest button. */
const LatestOutcome = ({ what, text, problem }: Outcome) => (
  <details class="card" open={problem !== undefined}>
    <summary>
      {what}{' '}
      <span class={`pill ${problem === undefined ? 'success' : 'error'}`}>
        {problem?.code ?? texts.value.sandbox.done}
      </span>
    </summary>
    <pre lang="en">{text}</pre>
    {problem?.requestId != null && can('requests:read') && (
      <a href={`#/requests/${problem.requestId}`}>{texts.value.readiness.request}</a>
    )}
  </details>
);

function Faults(props: { readonly client: Client; readonly perform: Perform; readonly busy: boolean }) {
  const words = texts.value.sandbox;
  const [kind, setKind] = useState<FaultKind>('rate_limited');
  const { sandbox } = props.client;
  return (
    <form
      class="card filter-line"
      onSubmit={(event) => {
        event.preventDefault();
        const count = Number(new FormData(event.currentTarget).get('count'));
        void props.perform(words.simulate, () => sandbox.simulateFaults({ kind, count }));
      }}
    >
      <Select label={words.faults} options={FAULT_KINDS} value={kind} choose={setKind} />
      <Field label={words.count} name="count" inputMode="numeric" defaultValue="2" />
      <Button kind="primary" type="submit" busy={props.busy}>
        {words.simulate}
      </Button>
      <Button
        busy={props.busy}
        onClick={() => void props.perform(words.clearFaults, () => sandbox.clearFaults())}
      >
        {words.clearFaults}
      </Button>
    </form>
  );
}

function RehearsalCard() {
  const words = texts.value.sandbox;
  const [count, setCount] = useState<number>(DEFAULT_REHEARSAL.claims);
  const [minutes, setMinutes] = useState<number>(DEFAULT_REHEARSAL.minutes);
  const { value: run } = rehearsal;
  const isRunning = run?.state === 'running';
  const { lines } = run ?? {};
  return (
    <Section title={words.rehearsal}>
      <p>
        {words.rehearsalLead} <a href={`${DOCS}readiness`}>{texts.value.guide}</a>
      </p>
      <div class="filter-line">
        <Select {...{ label: words.claims, options: CLAIM_COUNTS, value: count, choose: setCount }} />
        <Select
          {...{ label: words.duration, options: MINUTES, value: minutes, choose: setMinutes }}
          name={texts.value.duration.minutes}
        />
        <Button
          kind={isRunning ? 'danger' : 'primary'}
          onClick={isRunning ? stopRehearsal : () => void startRehearsal(count, minutes)}
        >
          {isRunning ? words.stop : words.start}
        </Button>
      </div>
      {run !== undefined && (
        <>
          {lines !== undefined && (
            <Note kind="neutral">
              <p>{words.handOut}</p>
              <Button onClick={() => saveFile(new Blob([lines]), 'rehearsal.jsonl')}>{words.download}</Button>
            </Note>
          )}
          <p class="strong" role="status">
            {words.states[run.state]}
          </p>
          <div role="log" aria-label={words.rehearsal}>
            {run.steps.map((step, index) => (
              <p key={index}>{ofService(step)}</p>
            ))}
          </div>
          <a href={`#/readiness/${run.since}`}>{words.check}</a>
        </>
      )}
    </Section>
  );
}

/** The claim is one of a rehearsal, so that it is valid whenever it is sent. */
function Samples({ svcId }: { readonly svcId: string }) {
  const words = texts.value.sandbox;
  const [run] = useState(() => api.now().toString(36));
  const [url, key] = [SERVICE_URL, desk.sandbox.key.value ?? ''];
  const claim = JSON.stringify(eventClaim(0, svcId, run, api.now()), null, 2);
  const samples = [
    [words.variables, `export CLAIMS_URL=${url}\nexport CLAIMS_API_KEY=${key}\n`],
    [
      words.curl,
      `curl "${url}/v1/claims" -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" -H "Idempotency-Key: sample-${run}" \\
  -d '${claim}'\n`,
    ],
  ] as const;
  return (
    <Section title={words.samples}>
      <p>
        {words.samplesLead} <a href={`${DOCS}quick-starts`}>Python, TypeScript, Java, C#</a>,{' '}
        <a href={`${DOCS}sdk`}>SDK</a>, <a href={`${DOCS}quick-start`}>curl</a>
      </p>
      {samples.map(([title, text]) => (
        <div key={title}>
          <div class="row spread">
            <h3>{title}</h3>
            <CopyButton text={text} label={`${texts.value.copy}: ${title}`} />
          </div>
          <pre>{text}</pre>
        </div>
      ))}
    </Section>
  );
}
