import { Field } from '@svc/web-app/components/field';
import { Button, EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useEffect, useState } from 'preact/hooks';
import { call, dateTime, request, route, showError, texts } from '../app.ts';
import { LoadMore } from '../components/load-more.tsx';
import type { LoggedRequest } from '../endpoints.ts';
import { createPagedList } from '../state/paged-list.ts';

const NAMES = ['request_id', 'key', 'code', 'path'] as const;
const PAGE_ROWS = 50;

/** The requests of the firm's systems, with the places that were wrong. */
export function Requests() {
  const words = texts.value.requests;
  const [filters, setFilters] = useState<Readonly<Record<string, string>>>({
    request_id: route.value.id ?? '',
  });
  const [list] = useState(() => {
    const state = { filters: {} as Readonly<Record<string, string>> };
    const paged = createPagedList<LoggedRequest & { readonly id: string }>({
      async read(cursor) {
        const query = { ...state.filters, limit: PAGE_ROWS, cursor };
        const page = await request(() => call('listRequests', { query }));
        return { ...page, data: page.data.map((one) => ({ ...one, id: one.request_id })) };
      },
      idOf: ({ id }) => id,
      enough: PAGE_ROWS,
      onError: showError,
    });
    return { ...paged, state };
  });
  const search = (): void => {
    list.state.filters = Object.fromEntries(
      Object.entries(filters).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]])),
    );
    void list.restart();
  };
  useEffect(search, []);
  const { value: rows } = list.rows;
  return (
    <>
      <ScreenHeader title={texts.value.nav.requests} />
      <p class="muted">{words.lead}</p>
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
            value={filters[name] ?? ''}
            onInput={({ currentTarget: { value } }) => setFilters({ ...filters, [name]: value })}
          />
        ))}
        <Button kind="primary" type="submit">
          {texts.value.board.search}
        </Button>
      </form>
      {rows?.length === 0 && !list.hasMore.value && <EmptyState title={texts.value.none} icon="clock" />}
      <WindowedList items={rows ?? []} label={texts.value.nav.requests} row={row} />
      <LoadMore list={list} />
    </>
  );
}

const row = (one: LoggedRequest) => (
  <div class="wide-row">
    <span class="cell name">
      <code>{one.route}</code>
      <span class="line muted">{dateTime(one.at)}</span>
      <span class="line muted">
        <code>{one.request_id}</code>
      </span>
    </span>
    <span class="cell">
      <span class={`pill ${one.status === null || one.status >= 400 ? 'error' : 'success'}`}>
        {one.status ?? texts.value.requests.disconnected}
      </span>{' '}
      {one.code !== null && <code>{one.code}</code>}
      <span class="line muted">{`${Math.round(one.duration_ms)} ms`}</span>
    </span>
    <span class="cell">
      {one.places.map((place) => (
        <code key={place} class="line">
          {place}
        </code>
      ))}
    </span>
  </div>
);
