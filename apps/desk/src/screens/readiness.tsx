import { Select } from '@svc/web-app/components/select';
import { Button, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { call, can, dateTime, desk, request, route, showError, texts } from '../app.ts';
import { ofService } from '../components/service-text.tsx';
import { StatusPill } from '../components/status.tsx';
import type { Readiness } from '../endpoints.ts';
import { DOCS } from '../root.ts';

const HOUR_MS = 60 * 60 * 1000;
const PERIODS = ['day', 'hour', 'rehearsal'] as const;

/** What the firm's own programs did with test keys, and what to change before live keys. */
export function ReadinessScreen() {
  const words = texts.value.readiness;
  const [found, setFound] = useState<Readiness>();
  const [busy, setBusy] = useState(false);
  /** As in the address, to which a rehearsal leads. */
  const rehearsedSince = route.value.id ?? desk.sandbox.rehearsedSince.value;
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>(route.value.id ? 'rehearsal' : 'day');
  const check = async (): Promise<void> => {
    const since =
      period === 'rehearsal'
        ? rehearsedSince
        : new Date(desk.now.value - (period === 'day' ? 24 : 1) * HOUR_MS).toISOString();
    setBusy(true);
    await request(() => call('getFirmReadiness', { query: { since } })).then(setFound, showError);
    setBusy(false);
  };
  useEffect(() => void check(), [period]);
  return (
    <>
      <ScreenHeader title={texts.value.nav.readiness} />
      <p>
        {words.lead} <a href={`${DOCS}readiness`}>{texts.value.guide}</a>
      </p>
      <div class="filter-line">
        <Select
          {...{ label: words.period, value: period, choose: setPeriod }}
          options={PERIODS.filter((one) => one !== 'rehearsal' || rehearsedSince !== undefined)}
          name={(one) => words.periods[one]}
        />
        <Button kind="primary" busy={busy} onClick={() => void check()}>
          {words.again}
        </Button>
      </div>
      {found === undefined ? (
        <p class="muted">{texts.value.loading}</p>
      ) : (
        <>
          <Note kind={found.ready ? 'success' : 'warning'}>
            <p class="strong">{found.ready ? words.ready : words.notReady}</p>
            <p>{words.checked(found.requests, found.claims, dateTime(found.since))}</p>
            {!found.complete && <p>{words.incomplete}</p>}
          </Note>
          {found.checks.map((one) => (
            <section key={one.check} class="card" aria-label={texts.value.ofService(one.title)}>
              <div class="row spread">
                <h2>{ofService(one.title)}</h2>
                <StatusPill status={one.state} name={words.states[one.state]} />
              </div>
              {one.state === 'not_exercised' && (
                <p>
                  {ofService(one.exercise)}{' '}
                  {one.check !== 'poll_gaps' && can('sandbox:write') && (
                    <a href="#/sandbox">{texts.value.nav.sandbox}</a>
                  )}
                </p>
              )}
              {one.state === 'failed' && <p>{ofService(one.change)}</p>}
              {one.passed + one.finding_count > 0 && (
                <p class="muted">{words.counts(one.passed, one.finding_count)}</p>
              )}
              {one.findings.length > 0 && (
                <details>
                  <summary>{words.findings(one.findings.length)}</summary>
                  <ol class="history">
                    {one.findings.map((finding, index) => (
                      <li key={index}>
                        <p>{ofService(finding.detail)}</p>
                        {finding.requests.map((sent) => (
                          <p key={sent.request_id}>
                            <span class="muted">{dateTime(sent.at)}</span> <code>{sent.operation}</code>{' '}
                            <code>{sent.status ?? '–'}</code> {sent.code !== null && <code>{sent.code}</code>}{' '}
                            {sent.simulated && <span class="badge">{words.simulated}</span>}{' '}
                            {can('requests:read') && (
                              <a href={`#/requests/${sent.request_id}`}>{words.request}</a>
                            )}
                          </p>
                        ))}
                      </li>
                    ))}
                  </ol>
                </details>
              )}
            </section>
          ))}
        </>
      )}
    </>
  );
}
