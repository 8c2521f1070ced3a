import type { ReportGroup } from '@svc/contract';
import { Select } from '@svc/web-app/components/select';
import { Button, EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { useReading } from '@svc/web-app/use-reading';
import { useState } from 'preact/hooks';
import { answerTime, api, call, duration, environment, perform, request, showError, texts } from '../app.ts';
import { statusName } from '../components/status.tsx';
import type { AnswersReport, ReportRow } from '../endpoints.ts';
import { startOfDay } from '../periods.ts';
import { ROOT } from '../root.ts';
import { saveCsv } from '../save-csv.ts';

const DAYS = [7, 30, 90, 365] as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/** With their colors: attributes, since the Content-Security-Policy forbids styles. */
const COLORS = {
  accepted: '#2f8f5b',
  rejected: '#c8483a',
  unassigned: '#7b5ea7',
  withdrawn: '#9aa7b1',
  closed: '#5f7181',
  pending: '#d9a21b',
};
const OUTCOMES = Object.keys(COLORS) as (keyof typeof COLORS)[];

const TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Offers by outcome and the time to answer: a chart, a table, and a file. */
export function Reports() {
  const words = texts.value.reports;
  const [by, setBy] = useState<ReportGroup>('adjuster');
  const [days, setDays] = useState<number>(30);
  const [report, setReport] = useState<AnswersReport>();
  const query = () => ({
    environment: environment.value,
    by,
    since: startOfDay(api.now(), days),
    time_zone: TIME_ZONE,
  });
  const read = () => {
    setReport(undefined);
    return request(() => call('reportAnswers', { query: query(), headers: {} }));
  };
  useReading(read, setReport, showError, [by, days, environment.value]);
  const most = Math.max(1, ...(report?.rows ?? []).map(({ offers }) => offers));
  return (
    <>
      <ScreenHeader title={texts.value.nav.reports} />
      <div class="filter-line">
        <Select
          {...{ label: words.by, value: by, choose: setBy }}
          options={Object.keys(words.groups) as ReportGroup[]}
          name={(one) => words.groups[one]}
        />
        <Select
          {...{ label: words.period, options: DAYS, value: days, choose: setDays }}
          name={(count) => duration(count * DAY_MS) ?? ''}
        />
        <Button onClick={() => void saveAnswers(query())}>{texts.value.download}</Button>
      </div>
      {report === undefined ? (
        <p class="muted">{texts.value.loading}</p>
      ) : report.rows.length === 0 ? (
        <EmptyState title={texts.value.none} icon="clock" />
      ) : (
        <section class="card">
          <ul class="row legend" aria-hidden="true">
            {OUTCOMES.map((outcome) => (
              <li key={outcome}>
                <svg viewBox="0 0 1 1" aria-hidden="true">
                  <rect width="1" height="1" fill={COLORS[outcome]} />
                </svg>
                {statusName(outcome)}
              </li>
            ))}
          </ul>
          {report.time_zone !== undefined && <p class="muted">{words.weeks(report.time_zone)}</p>}
          <p class="muted">{words.contactsLead}</p>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.groups[by]}</th>
                <th scope="col">{words.offers}</th>
                {OUTCOMES.map((outcome) => (
                  <th key={outcome} scope="col">
                    {statusName(outcome)}
                  </th>
                ))}
                <th scope="col">{words.median}</th>
                <th scope="col">{words.p90}</th>
                <th scope="col">{words.contacts}</th>
              </tr>
            </thead>
            <tbody>
              {[...report.rows, { ...report.total, group: '', label: words.total }].map((row) => (
                <tr key={row.group} class={row.group === '' ? 'total' : ''}>
                  <th scope="row">
                    {row.label}
                    {row.partial && <span class="line muted">{words.partial}</span>}
                    {row.group !== '' && <Bar row={row} most={most} />}
                  </th>
                  <td data-label={words.offers}>{row.offers}</td>
                  {OUTCOMES.map((outcome) => (
                    <td key={outcome} data-label={statusName(outcome)}>
                      {row[outcome]}
                    </td>
                  ))}
                  <td data-label={words.median}>{answerTime(row.median_answer_seconds)}</td>
                  <td data-label={words.p90}>{answerTime(row.p90_answer_seconds)}</td>
                  <td data-label={words.contacts}>
                    {words.ofShared(row.contacts_in_time, row.contacts_shared)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

/** Not a link: the service takes the cookie only with the page's header. */
const saveAnswers = (query: Readonly<Record<string, string>>) =>
  perform(async () => {
    const response = await fetch(`${ROOT}v1/reports/answers?${new URLSearchParams(query)}`, {
      headers: { ...api.pageHeader(), Accept: 'text/csv' },
      cache: 'no-store',
    });
    // A proxy or the sign-in page of a network may respond with 200, too.
    const isReport = response.ok && response.headers.get('content-type')?.startsWith('text/csv') === true;
    if (!isReport) throw new Error(`${response.status}`);
    saveCsv(await response.blob(), 'answers.csv');
  }, '');

/** The numbers are in the table. */
function Bar({ row, most }: { readonly row: ReportRow; readonly most: number }) {
  let at = 0;
  return (
    <svg class="chart" viewBox={`0 0 ${most} 1`} preserveAspectRatio="none" aria-hidden="true">
      {OUTCOMES.map((outcome) => {
        const start = at;
        at += row[outcome];
        return <rect key={outcome} fill={COLORS[outcome]} x={start} width={row[outcome]} height="1" />;
      })}
    </svg>
  );
}
