import { PagedRows } from '@svc/web-app/components/paged-rows';
import { Button, EmptyState, focusHeading, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { saveFile } from '@svc/web-app/save-file';
import { useBusy } from '@svc/web-app/use-busy';
import { useRef, useState } from 'preact/hooks';
import { api, call, dateTime, request, showError, showToast, texts } from '../app.ts';
import { type Filters, TextFilters } from '../components/text-filters.tsx';
import { useList } from '../components/use-list.ts';
import type { AuditEvent, AuditVerification } from '../endpoints.ts';
import { periodOf, verifiedPeriod } from '../periods.ts';

const PAGE_ROWS = 100;
/** An export is read page by page, and is in the memory of the page until it is saved. */
const MAX_EXPORT_PAGES = 500;

/** Who did what in the firm. */
export function Audit() {
  const words = texts.value.audit;
  const [verified, setVerified] = useState<AuditVerification & { since: number; until: number }>();
  const [busy, during] = useBusy();
  const filters = useRef<Filters>({});
  /** Filters that were chosen by a value of a row. */
  const [chosen, setChosen] = useState({ count: 0, filters: {} as Filters });
  const readPage = (query: { readonly limit: number; readonly cursor: string | undefined }) =>
    call('listAudit', { query: { ...filters.current, ...periodOf(filters.current), ...query } });
  const list = useList(PAGE_ROWS, readPage);
  const verify = () =>
    during(async () => {
      const { since, until } = verifiedPeriod(filters.current, api.now());
      const query = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
      let rows = 0;
      for (let cursor: string | undefined; ; ) {
        const part = await request(() => call('verifyAudit', { query: { ...query, cursor } }));
        rows += part.rows ?? 0;
        cursor = part.next_cursor;
        if (cursor !== undefined) continue;
        setVerified({ ...part, rows, since, until });
        break;
      }
    }, showError);
  const exportAll = () =>
    during(async () => {
      const lines: string[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < MAX_EXPORT_PAGES; pages += 1) {
        const page = await request(() => readPage({ limit: PAGE_ROWS, cursor }));
        lines.push(...page.data.map((event) => `${JSON.stringify(event)}\n`));
        cursor = page.next_cursor ?? undefined;
        if (cursor === undefined) break;
      }
      saveFile(new Blob(lines, { type: 'application/jsonl' }), 'audit.jsonl');
      if (cursor !== undefined) showToast(() => words.cut(MAX_EXPORT_PAGES * PAGE_ROWS), 'error');
    }, showError);
  const filter = (change: Filters): void => {
    setChosen({ count: chosen.count + 1, filters: { ...filters.current, ...change } });
    focusHeading();
  };
  return (
    <>
      <ScreenHeader title={texts.value.nav.audit} />
      <TextFilters
        key={chosen.count}
        labels={words.filters}
        initial={chosen.filters}
        apply={(applied) => {
          filters.current = applied;
          void list.restart();
        }}
      />
      <div class="row">
        <Button busy={busy} onClick={() => void verify()}>
          {words.verify}
        </Button>
        <Button busy={busy} onClick={() => void exportAll()}>
          {words.export}
        </Button>
      </div>
      {verified !== undefined && (
        <Note kind={verified.intact ? 'success' : 'warning'}>
          <p role="status">
            {words.period(dateTime(verified.since), dateTime(verified.until))}{' '}
            {verified.intact ? words.intact(verified.rows ?? 0) : words.broken(verified.seq ?? 0)}
          </p>
          {verified.last !== undefined && <code>{`${verified.last.seq} ${verified.last.hash}`}</code>}
        </Note>
      )}
      <PagedRows
        {...{ list, rows: list.rows.value, label: texts.value.nav.audit }}
        row={(event) => <Row event={event} filter={filter} />}
        empty={<EmptyState title={texts.value.none} icon="clock" />}
      />
    </>
  );
}

function Row({ event, filter }: { readonly event: AuditEvent; readonly filter: (by: Filters) => void }) {
  const value = (name: string, text: string, shown = text) => (
    <button
      type="button"
      class="value"
      title={texts.value.audit.only}
      onClick={() => filter({ [name]: text })}
    >
      {shown}
    </button>
  );
  return (
    <div class="wide-row">
      <span class="cell name">
        {value('actor', event.actor, event.actor_name ?? event.actor)}
        <span class="line muted">
          {event.seq} · {dateTime(event.at)}
        </span>
      </span>
      <span class="cell">
        {value('action', event.action, texts.value.audit.action(event.action))}
        {event.outcome !== 'ok' && <span class="pill error">{event.outcome}</span>}
      </span>
      <span class="cell">
        {event.object !== null && value('object', event.object)}
        {Object.entries(event.changes ?? {}).map(([name, { from, to }]) => (
          <span key={name} class="line">{`${name}: ${from ?? '–'} → ${to ?? '–'}`}</span>
        ))}
      </span>
    </div>
  );
}
