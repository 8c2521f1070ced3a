import { LoadMore } from '@svc/web-app/components/load-more';
import { Button, EmptyState, focusHeading, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { saveFile } from '@svc/web-app/save-file';
import { useRef, useState } from 'preact/hooks';
import { call, dateTime, request, showError, showToast, texts } from '../app.ts';
import { TextFilters } from '../components/text-filters.tsx';
import { useList } from '../components/use-list.ts';
import type { AuditEvent, AuditVerification } from '../endpoints.ts';

type Filters = Readonly<Record<string, string>>;

const PAGE_ROWS = 100;
/** An export is read page by page, and is in the memory of the page until it is saved. */
const MAX_EXPORT_PAGES = 500;

/** Who did what in the firm. */
export function Audit() {
  const words = texts.value.audit;
  const [verified, setVerified] = useState<AuditVerification>();
  const [busy, setBusy] = useState(false);
  const filters = useRef<Filters>({});
  /** Filters that were chosen by a value of a row. */
  const [chosen, setChosen] = useState({ count: 0, filters: {} as Filters });
  const readPage = (query: { readonly limit: number; readonly cursor: string | undefined }) => {
    const { since, until, ...others } = filters.current;
    const days = { since: instant(since, '00:00'), until: instant(until, '24:00') };
    return call('listAudit', { query: { ...others, ...days, ...query } });
  };
  const list = useList(PAGE_ROWS, async (query) => {
    const page = await readPage(query);
    return { ...page, data: page.data.map((one) => ({ ...one, id: idOf(one) })) };
  });
  const during = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    await work().catch(showError);
    setBusy(false);
  };
  const verify = () => during(async () => setVerified(await request(() => call('verifyAudit'))));
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
    });
  const filter = (change: Filters): void => {
    setChosen({ count: chosen.count + 1, filters: { ...filters.current, ...change } });
    focusHeading();
  };
  const { value: rows } = list.rows;
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
            {verified.intact ? words.intact(verified.rows ?? 0) : words.broken(verified.seq ?? 0)}
          </p>
          {verified.last !== undefined && <code>{`${verified.last.seq} ${verified.last.hash}`}</code>}
        </Note>
      )}
      {rows?.length === 0 && !list.hasMore.value && <EmptyState title={texts.value.none} icon="clock" />}
      <WindowedList
        items={rows ?? []}
        label={texts.value.nav.audit}
        row={(event) => <Row event={event} filter={filter} />}
      />
      <LoadMore list={list} />
    </>
  );
}

const idOf = ({ seq, action, object, at }: AuditEvent): string => `${seq} ${action} ${object} ${at}`;

/** The start or the end of a day here. */
const instant = (day: string | undefined, time: '00:00' | '24:00'): string | undefined =>
  day === undefined ? undefined : new Date(`${day}T${time}`).toISOString();

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
        {value('action', event.action)}
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
