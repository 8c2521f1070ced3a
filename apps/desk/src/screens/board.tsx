import { LIMITS, LOSS_LOCATION_STATES } from '@svc/contract';
import { Field } from '@svc/web-app/components/field';
import { lazy } from '@svc/web-app/components/lazy';
import { LoadMore } from '@svc/web-app/components/load-more';
import { Select } from '@svc/web-app/components/select';
import { Button, EmptyState, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { adjusters, board, can, desk, offers, route, texts } from '../app.ts';
import { StatusPill, statusName, Waits } from '../components/status.tsx';
import type { BoardClaim } from '../endpoints.ts';
import { isTyping } from '../is-typing.ts';
import { SORTS, type SortKey, VIEWS, type View } from '../state/board.ts';
import { ACT_KINDS, type ActKind, CAN, displayName } from '../state/offers.ts';
import { ActDialog, AfterActs, OfferResults } from './offer.tsx';

const SpreadBoard = lazy(async () => (await import('./spread-board.tsx')).SpreadBoard);

const COUNTED = ['waiting', 'late', 'rejected'] as const satisfies readonly View[];

/** The claims of the firm: those that nobody has, and then the longest wait, first. */
export function Board() {
  const words = texts.value.board;
  const rows = board.rows.value;
  const { value: chosen } = board.chosen;
  const prepare = (kind: ActKind, claims: readonly BoardClaim[] = chosen): void => {
    const possible = claims.filter(CAN[kind]);
    if (possible.length > 0 && can('claims:write')) offers.prepare('board', possible, kind);
  };
  useKeys((kind, current) => prepare(kind, chosen.length > 0 || current === undefined ? chosen : [current]));
  const offerable = chosen.filter(CAN.offer);
  const { value: acts } = offers.acts;
  const hasOutcomes = acts.some(({ state }) => state !== 'sending');
  const draft = offers.draft.value;
  const ids = draft?.from === 'board' ? draft.ids : [];
  const known = new Map([...board.chosen.value, ...(rows ?? [])].map((claim) => [claim.id, claim]));
  const offered = ids.flatMap((id) => known.get(id) ?? []);
  const box = useRef<HTMLDivElement>(null);
  const findRow = useRowFocus(box, rows);
  return (
    <>
      <ScreenHeader title={words.titles[board.filters.value.view] ?? texts.value.nav.board}>
        <Views />
      </ScreenHeader>
      <Filters />
      <OfferResults />
      {rows?.length === 0 && !board.list.hasMore.value ? (
        <Nothing />
      ) : (
        <div class="rows" ref={box}>
          <Heads />
          <WindowedList
            items={rows ?? []}
            row={(claim) => <Row claim={claim} />}
            label={texts.value.nav.board}
            aheadPx={3000}
            chunkRows={20}
          />
        </div>
      )}
      <LoadMore list={board.list} />
      {(chosen.length > 0 || hasOutcomes) && (
        // In view wherever one stands on the page: the list of outcomes may be far above.
        <div class="selection">
          {hasOutcomes && <AfterActs acts={acts} />}
          {chosen.length > 0 && (
            <div class="row">
              {ACT_KINDS.map((kind) => {
                const { length: count } = chosen.filter(CAN[kind]);
                return (
                  count > 0 && (
                    <Button
                      key={kind}
                      {...(kind === 'offer' && { kind: 'primary' })}
                      onClick={() => prepare(kind)}
                    >
                      {words.acts[kind](count)}
                    </Button>
                  )
                );
              })}
              {offerable.length > 1 && (
                <Button onClick={() => offers.prepare('spread', offerable)}>
                  {texts.value.spread.act(offerable.length)}
                </Button>
              )}
              <Button onClick={board.clearSelection}>{words.clearSelection}</Button>
            </div>
          )}
        </div>
      )}
      {draft?.from === 'spread' && !offers.isPlanStarted.value && can('claims:write') && (
        <SpreadBoard known={known} done={board.clearSelection} focusAfter={() => findRow(draft.ids[0])} />
      )}
      {offered.length > 0 && (
        <ActDialog claims={offered} done={board.clearSelection} focusAfter={() => findRow(offered[0]?.id)} />
      )}
    </>
  );
}

const Nothing = () => {
  const words = texts.value.board;
  const isEmpty = !board.isFiltered.value && board.filters.value.view === 'waiting';
  return (
    <EmptyState title={isEmpty ? words.empty : texts.value.none} icon="claims">
      {isEmpty && <p>{words.emptyMore}</p>}
    </EmptyState>
  );
};

const columnNames = (): Readonly<Record<SortKey, string>> => {
  const { board: words, claimFields: fields, reports } = texts.value;
  const { carrier, adjuster } = reports.groups;
  return { name: words.name, ids: fields.number, carrier, adjuster, state: words.status };
};

const viewName = (view: View): string => {
  const { waiting, late, titles } = texts.value.board;
  if (view === 'clock_late') return titles.clock_late ?? view;
  return view === 'waiting' ? waiting : view === 'late' ? late : statusName(view);
};

/** The views that somebody has to look at, with what is in them. */
function Views() {
  const words = texts.value.board;
  const { value: counts } = board.counts;
  return (
    <fieldset class="chips views" aria-label={words.queues}>
      {COUNTED.map((view) => (
        <button
          key={view}
          type="button"
          class="chip"
          aria-pressed={board.filters.value.view === view}
          onClick={() => board.filter({ view })}
        >
          {viewName(view)}
          {counts !== undefined && (
            <span class="count"> {words.counted(counts[view], LIMITS.boardCount)}</span>
          )}
        </button>
      ))}
    </fieldset>
  );
}

/** The row that has the focus keeps it when the rows are read again, in another order, too. @returns the row of a claim */
function useRowFocus(box: { readonly current: HTMLElement | null }, rows: unknown) {
  const last = useRef<{ readonly id: string | undefined; readonly at: number } | undefined>(undefined);
  const links = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>('a.board-link') ?? [])];
  const find = (id: string | undefined): HTMLElement | undefined =>
    links().find((link) => link.dataset.id === id);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent): void => {
      const link = target instanceof Element ? target.closest<HTMLElement>('a.board-link') : null;
      last.current = link === null ? undefined : { id: link.dataset.id, at: links().indexOf(link) };
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, []);
  useLayoutEffect(() => {
    const { current: before } = last;
    if (before === undefined || document.activeElement !== document.body) return;
    (find(before.id) ?? links()[before.at] ?? links().at(-1))?.focus({ preventScroll: true });
  }, [rows]);
  return find;
}

/** Selects and counts what is shown; in columns, names and sorts them. */
function Heads() {
  const { board: words } = texts.value;
  const columns = columnNames();
  const { value: sort } = board.sort;
  const { length: all } = board.selectable.value;
  const { length: chosen } = board.chosen.value;
  const shownIds = new Set(board.selectable.value.map(({ id }) => id));
  const hidden = board.chosen.value.filter(({ id }) => !shownIds.has(id)).length;
  return (
    <div class="board-row heads">
      {can('claims:write') && (
        <label class="check">
          <input
            type="checkbox"
            aria-label={words.selectAll}
            checked={all > 0 && chosen - hidden === all}
            indeterminate={chosen > hidden && chosen - hidden < all}
            disabled={all === 0}
            onClick={board.toggleAll}
          />
        </label>
      )}
      <div class="board-link">
        <span class="cell" role="status">
          {words.count(board.list.rows.value?.length ?? 0, board.list.hasMore.value, chosen)}
          {hidden > 0 && `, ${words.hidden(hidden)}`}
        </span>
        {SORTS.map((name) => (
          <button
            key={name}
            type="button"
            class={`cell head ${name}`}
            aria-pressed={sort?.by === name}
            aria-label={words.sortBy(columns[name])}
            onClick={() => board.sortBy(name)}
          >
            {columns[name]}
            {sort?.by === name && <span aria-hidden="true">{sort.isDown ? ' ↓' : ' ↑'}</span>}
          </button>
        ))}
      </div>
    </div>
  );
}

function Filters() {
  const words = texts.value.board;
  const filters = board.filters.value;
  const [open] = useState(filters.carrier !== '' || filters.state !== '');
  const members = (adjusters.rows.value ?? [])
    .filter(({ status }) => status === 'active')
    .map((one) => [one.svc_id, `${displayName(one)} · ${one.svc_id}`] as const);
  const names = new Map(members.toSorted(([, one], [, other]) => one.localeCompare(other)));
  return (
    <search>
      <div class="filter-line">
        <Field
          label={words.search}
          name="q"
          placeholder={words.searchHint}
          maxLength={100}
          value={filters.q}
          onInput={({ currentTarget: { value } }) => board.filter({ q: value }, true)}
        />
        <Select
          label={words.view}
          options={VIEWS}
          value={filters.view}
          name={viewName}
          choose={(view) => board.filter({ view })}
        />
        <details
          open={open}
          onToggle={({ currentTarget }) => currentTarget.open && void desk.readAdjusters()}
        >
          <summary>{words.filters}</summary>
          <div class="filter-line">
            <Select
              label={texts.value.reports.groups.adjuster}
              options={['', ...names.keys()]}
              value={filters.adjuster}
              name={(id) => names.get(id) ?? words.any}
              choose={(adjuster) => board.filter({ adjuster })}
            />
            <Field
              label={texts.value.reports.groups.carrier}
              name="carrier"
              maxLength={LIMITS.companyName.max}
              value={filters.carrier}
              onInput={({ currentTarget: { value } }) => board.filter({ carrier: value }, true)}
            />
            <Select
              label={words.state}
              options={['', ...LOSS_LOCATION_STATES]}
              value={filters.state}
              name={(state) => state || words.any}
              choose={(state) => board.filter({ state })}
            />
            <Select
              label={words.sort}
              options={['', ...SORTS]}
              value={board.sort.value?.by ?? ''}
              name={(by) => (by === '' ? words.unsorted : columnNames()[by])}
              choose={(by) => {
                board.sort.value = by === '' ? null : { by, isDown: false };
              }}
            />
            {board.isFiltered.value && (
              <Button onClick={() => board.filter({ adjuster: '', carrier: '', state: '', q: '' })}>
                {words.clear}
              </Button>
            )}
          </div>
          <LoadMore list={adjusters} />
        </details>
      </div>
    </search>
  );
}

function Row({ claim }: { readonly claim: BoardClaim }) {
  const words = texts.value.board;
  const { place } = claim;
  const address = `${place.street}, ${place.city}, ${place.state} ${place.zip}`;
  const open = route.value;
  const { clocks } = claim;
  const late = claim.late || clocks?.first_contact.late === true || clocks?.inspection.late === true;
  return (
    <div class="board-row" data-late={late}>
      {can('claims:write') && (
        // Shift would select the text between the rows.
        <label class="check" onMouseDown={(event) => event.shiftKey && event.preventDefault()}>
          <input
            type="checkbox"
            aria-label={words.select(claim.name)}
            checked={board.selected.value.has(claim.id)}
            disabled={claim.closed_at !== null}
            onClick={({ shiftKey }) => board.toggle(claim.id, shiftKey)}
          />
        </label>
      )}
      <a
        href={`#/claims/${claim.id}`}
        class="board-link"
        data-id={claim.id}
        aria-current={open.screen === 'claim' && open.id === claim.id}
      >
        <span class="cell name" title={`${claim.name}, ${address}`}>
          <span class="strong">{claim.name}</span> <TestBadge test={claim.test} />
          <span class="line muted">{address}</span>
        </span>
        <span class="cell ids" title={`${claim.claim_number} ${claim.external_id}`}>
          {claim.claim_number} <span class="muted unbroken">{claim.external_id}</span>
        </span>
        <span class="cell carrier" title={claim.carrier}>
          {claim.carrier}
        </span>
        <span class="cell adjuster" title={claim.adjuster_svc_id}>
          {claim.adjuster_name ?? claim.adjuster_svc_id}
        </span>
        <span class="cell state">
          <StatusPill status={claim.closed_at === null ? claim.status : 'closed'} late={late} />{' '}
          <Waits from={claim.waiting_since} />
        </span>
      </a>
    </div>
  );
}

/** The focus is the current row: what a screen reader reads, Enter opens. */
function useKeys(prepare: (kind: ActKind, current: BoardClaim | undefined) => void): void {
  // A key that comes before the next frame acts on the selection of now.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) {
        if (event.key === 'Escape' && document.querySelector('dialog[open]') === null)
          (event.target as HTMLElement).blur();
        return;
      }
      const links = [...document.querySelectorAll<HTMLElement>('main a.board-link')];
      const at = links.findIndex((link) => link.closest('.board-row')?.contains(document.activeElement));
      const { value: open } = route;
      const currentId = links[at]?.dataset.id ?? (open.screen === 'claim' ? open.id : undefined);
      const current = board.rows.value?.find(({ id }) => id === currentId);
      const focus = (index: number): void => {
        links[index]?.focus({ preventScroll: true });
        links[index]?.scrollIntoView({ block: 'nearest' });
      };
      const actions: Readonly<Record<string, () => void>> = {
        j: () => focus(Math.min(at + 1, links.length - 1)),
        k: () => focus(Math.max(at - 1, 0)),
        x: () => current !== undefined && board.toggle(current.id, event.shiftKey),
        o: () => prepare('offer', current),
        w: () => prepare('withdraw', current),
        '/': () => document.querySelector<HTMLElement>('main input[name=q]')?.focus(),
      };
      const key = { ArrowDown: 'j', ArrowUp: 'k' }[event.key] ?? event.key.toLowerCase();
      // The arrows scroll, unless a row has the focus.
      if (event.key.startsWith('Arrow') && at === -1) return;
      const action = actions[key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}
