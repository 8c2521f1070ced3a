import { LoadMore } from '@svc/web-app/components/load-more';
import { Button, EmptyState, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { saveFile } from '@svc/web-app/save-file';
import { useRef, useState } from 'preact/hooks';
import { call, dateTime, request, showError, showToast, texts } from '../app.ts';
import { TextFilters } from '../components/text-filters.tsx';
import { useList } from '../components/use-list.ts';
import type { AuditEvent, AuditVerification } from '../endpoints.ts';

const PAGE_ROWS = 100;
/** An export is read page by page, and is in the memory of the page until it is saved. */
const MAX_EXPORT_PAGES = 500;

/** Who did what in the firm. */
export function Audit() {
  const words = texts.value.audit;
  const [verified, setVerified] = useState<AuditVerification>();
  const [busy, setBusy] = useState(false);
  const filters = useRef<Readonly<Record<string, string>>>({});
  const readPage = (query: { readonly limit: number; readonly cursor: string | undefined }) =>
    call('listAudit', { query: { ...filters.current, ...query } });
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
  const { value: rows } = list.rows;
  return (
    <>
      <ScreenHeader title={texts.value.nav.audit} />
      <TextFilters
        labels={words.filters}
        apply={(chosen) => {
          filters.current = chosen;
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
      <WindowedList items={rows ?? []} label={texts.value.nav.audit} row={row} />
      <LoadMore list={list} />
    </>
  );
}

const idOf = ({ seq, action, object, at }: AuditEvent): string => `${seq} ${action} ${object} ${at}`;

const row = (event: AuditEvent) => (
  <div class="wide-row">
    <span class="cell name">
      <span class="strong">{event.actor_name ?? event.actor}</span>
      <span class="line muted">
        {event.seq} · {dateTime(event.at)}
      </span>
    </span>
    <span class="cell">
      <code>{event.action}</code> {event.outcome !== 'ok' && <span class="pill error">{event.outcome}</span>}
    </span>
    <span class="cell">
      {event.object !== null && <code class="line">{event.object}</code>}
      {Object.entries(event.changes ?? {}).map(([name, { from, to }]) => (
        <span key={name} class="line">{`${name}: ${from ?? '–'} → ${to ?? '–'}`}</span>
      ))}
    </span>
  </div>
);
