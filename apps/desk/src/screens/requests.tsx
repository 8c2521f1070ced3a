import { Checkbox } from '@svc/web-app/components/checkbox';
import { PagedRows } from '@svc/web-app/components/paged-rows';
import { Select } from '@svc/web-app/components/select';
import { EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { useRef, useState } from 'preact/hooks';
import { call, can, dateTime, navigation, route, texts } from '../app.ts';
import { ofService } from '../components/service-text.tsx';
import { type Filters, TextFilters } from '../components/text-filters.tsx';
import { useList } from '../components/use-list.ts';
import type { LoggedRequest } from '../endpoints.ts';

const ENVIRONMENTS = ['any', 'live', 'test'] as const;

/** The filters are in the address, so that they are the same after the page was loaded again. */
const filtersIn = (hash: string): Filters => Object.fromEntries(new URLSearchParams(hash.split('?')[1]));

function addressOf(filters: Filters): string {
  const set = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const query = new URLSearchParams(set).toString();
  return query === '' ? '#/requests' : `#/requests?${query}`;
}

/** The requests of the firm's systems, with what was wrong. */
export function Requests() {
  const words = texts.value.requests;
  const [initial] = useState<Filters>(() => ({
    request_id: route.value.id,
    ...filtersIn(navigation.currentHash.value),
  }));
  const filters = useRef<Filters>(initial);
  const [environment, setEnvironment] = useState(
    ENVIRONMENTS.find((one) => one === initial.environment) ?? 'any',
  );
  const [errorsOnly, setErrorsOnly] = useState(initial.errors === 'true');
  const list = useList(50, async (query) => {
    const page = await call('listRequests', { query: { ...filters.current, ...query } });
    return { ...page, data: page.data.map((one) => ({ ...one, id: one.request_id })) };
  });
  const filter = (change: Filters): void => {
    filters.current = { ...filters.current, ...change };
    const address = addressOf(filters.current);
    if (navigation.currentHash.value !== address) navigation.replaceScreen(address);
    void list.restart();
  };
  return (
    <>
      <ScreenHeader title={texts.value.nav.requests} />
      <p class="muted">{words.lead}</p>
      <TextFilters labels={words.filters} initial={initial} apply={filter} />
      <div class="row">
        <Select
          {...{ label: texts.value.environment.label, options: ENVIRONMENTS, value: environment }}
          name={(one) => (one === 'any' ? texts.value.board.any : texts.value.environment[one])}
          choose={(one) => {
            setEnvironment(one);
            filter({ environment: one === 'any' ? undefined : one });
          }}
        />
        <Checkbox
          label={words.errorsOnly}
          checked={errorsOnly}
          choose={(isChosen) => {
            setErrorsOnly(isChosen);
            filter({ errors: isChosen ? 'true' : undefined });
          }}
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
      {one.code !== null &&
        (one.documentation_url === null ? (
          <code>{one.code}</code>
        ) : (
          <a href={one.documentation_url} target="_blank" rel="noreferrer">
            <code>{one.code}</code>
          </a>
        ))}
      <span class="line muted">{texts.value.requests.seconds((one.duration_ms / 1000).toFixed(3))}</span>
    </span>
    <span class="cell">
      {texts.value.environment[one.environment === 'test' ? 'test' : 'live']}
      <span class="line">{one.key_name}</span>
      <code class="line">{one.key_id}</code>
    </span>
    <span class="cell">
      {one.detail !== null && <span class="line">{ofService(one.detail)}</span>}
      {one.existing_claim_id !== null && <ExistingClaim id={one.existing_claim_id} />}
      {one.places.map((place, n) => (
        <span key={place} class="line">
          <code>{place}</code> {ofService(one.place_details[n] ?? '')}
        </span>
      ))}
    </span>
  </div>
);

const ExistingClaim = ({ id }: { readonly id: string }) => (
  <span class="line">
    {texts.value.requests.existingClaim}{' '}
    {can('claims:read') ? <a href={`#/claims/${id}`}>{id}</a> : <code>{id}</code>}
  </span>
);
