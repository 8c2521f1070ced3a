import { Field } from '@svc/web-app/components/field';
import { Button, EmptyState, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useEffect, useState } from 'preact/hooks';
import { call, dateTime, request, showError, texts } from '../app.ts';
import { saveFile } from '../components/download.ts';
import { LoadMore } from '../components/load-more.tsx';
import type { AuditEvent, AuditVerification } from '../endpoints.ts';
import { createPagedList } from '../state/paged-list.ts';

const NAMES = ['actor', 'action', 'object', 'request_id'] as const;
const PAGE_ROWS = 100;
/** An export is read page by page, and is in the memory of the page until it is saved. */
const MAX_EXPORT_PAGES = 500;

type Filters = Readonly<Record<string, string>>;
const readPage = (filters: Filters, cursor: string | undefined) =>
  request(() => call('listAudit', { query: { ...filters, limit: PAGE_ROWS, cursor } }));

const sentOf = (typed: Filters): Filters =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([name, text]) => (text.trim() ? [[name, text.trim()]] : [])),
  );

/** Who did what in the firm. */
export function Audit() {
  const words = texts.value.audit;
  const [typed, setTyped] = useState<Filters>({});
  const [verified, setVerified] = useState<AuditVerification>();
  const [busy, setBusy] = useState(false);
  const [list] = useState(() => {
    const state = { filters: {} as Filters };
    const paged = createPagedList<AuditEvent & { readonly id: string }>({
      async read(cursor) {
        const page = await readPage(state.filters, cursor);
        return { ...page, data: page.data.map((one) => ({ ...one, id: idOf(one) })) };
      },
      idOf: ({ id }) => id,
      enough: PAGE_ROWS,
      onError: showError,
    });
    return { ...paged, state };
  });
  const search = (): void => {
    list.state.filters = sentOf(typed);
    void list.restart();
  };
  useEffect(search, []);
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
        const page = await readPage(list.state.filters, cursor);
        lines.push(...page.data.map((event) => `${JSON.stringify(event)}\n`));
        cursor = page.next_cursor ?? undefined;
        if (cursor === undefined) break;
      }
      saveFile(new Blob(lines, { type: 'application/jsonl' }), 'audit.jsonl');
    });
  const { value: rows } = list.rows;
  return (
    <>
      <ScreenHeader title={texts.value.nav.audit} />
      <form
        class="filter-line"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        {NAMES.map((name) => (
          <Field
            key={name}
            label={words.filters[name]}
            name={name}
            autocomplete="off"
            spellcheck={false}
            value={typed[name] ?? ''}
            onInput={({ currentTarget: { value } }) => setTyped({ ...typed, [name]: value })}
          />
        ))}
        <Button kind="primary" type="submit">
          {texts.value.board.search}
        </Button>
      </form>
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
