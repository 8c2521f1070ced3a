import { Checkbox } from '@svc/web-app/components/checkbox';
import { PagedRows } from '@svc/web-app/components/paged-rows';
import { Select } from '@svc/web-app/components/select';
import { EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { useRef, useState } from 'preact/hooks';
import { call, dateTime, route, texts } from '../app.ts';
import { type Filters, TextFilters } from '../components/text-filters.tsx';
import { useList } from '../components/use-list.ts';
import type { Environment, LoggedRequest } from '../endpoints.ts';

/** The requests of the firm's systems, with the places that were wrong. */
export function Requests() {
  const words = texts.value.requests;
  const filters = useRef<Filters>({});
  const [environment, setEnvironment] = useState<'any' | Environment>('any');
  const list = useList(50, async (query) => {
    const page = await call('listRequests', { query: { ...filters.current, ...query } });
    return { ...page, data: page.data.map((one) => ({ ...one, id: one.request_id })) };
  });
  const filter = (change: Filters): void => {
    filters.current = { ...filters.current, ...change };
    void list.restart();
  };
  return (
    <>
      <ScreenHeader title={texts.value.nav.requests} />
      <p class="muted">{words.lead}</p>
      <TextFilters labels={words.filters} initial={{ request_id: route.value.id }} apply={filter} />
      <div class="row">
        <Select
          {...{ label: texts.value.environment.label, options: ['any', 'live', 'test'], value: environment }}
          name={(one) => (one === 'any' ? texts.value.board.any : texts.value.environment[one])}
          choose={(one) => {
            setEnvironment(one);
            filter({ environment: one === 'any' ? undefined : one });
          }}
        />
        <Checkbox
          label={words.errorsOnly}
          choose={(isChosen) => filter({ errors: isChosen ? 'true' : undefined })}
        />
      </div>
      <PagedRows
        {...{ list, row, rows: list.rows.value, label: texts.value.nav.requests }}
        empty={<EmptyState title={texts.value.none} icon="clock" />}
      />
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
    <span class="cell">{texts.value.environment[one.environment === 'test' ? 'test' : 'live']}</span>
    <span class="cell">
      {one.places.map((place) => (
        <code key={place} class="line">
          {place}
        </code>
      ))}
    </span>
  </div>
);
