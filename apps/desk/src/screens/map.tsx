import { EmptyState, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { loadOutlines, loadZipPlaces } from '@svc/web-app/map/files';
import { MapView, type Marker } from '@svc/web-app/map/map-view';
import type { Outlines } from '@svc/web-app/map/outlines';
import type { PlaceOfZip } from '@svc/web-app/map/zip-places';
import { createPagedList } from '@svc/web-app/paged-list';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call, changes, desk, environment, request, showError, texts } from '../app.ts';
import { StatusPill, statusName } from '../components/status.tsx';
import type { BoardClaim } from '../endpoints.ts';

const PAGE_ROWS = 200;
/** More markers would not be told apart. */
const MAX_CLAIMS = 2000;
const MAX_LISTED = 100;
const MAX_PER_MARKER = 8;

const listOf = (status: 'accepted' | undefined) =>
  createPagedList<BoardClaim>({
    read: (cursor) => {
      const query = { environment: environment.value, status, limit: PAGE_ROWS, cursor };
      return request(() => call('listBoardClaims', { query }));
    },
    idOf: ({ id }) => id,
    enough: MAX_CLAIMS,
    onError: showError,
  });

/** Claims that wait, and accepted ones that are open, by ZIP code. */
export function ClaimMap() {
  const words = texts.value.map;
  const [files, setFiles] = useState<{ readonly lines: Outlines; readonly placeOf: PlaceOfZip }>();
  const [lists] = useState(() => [listOf(undefined), listOf('accepted')] as const);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => {
    Promise.all([loadOutlines(), loadZipPlaces()]).then(
      ([lines, placeOf]) => setFiles({ lines, placeOf }),
      showError,
    );
    for (const list of lists) void list.restart();
  }, []);
  const changed = changes.value;
  useEffect(() => {
    if (changed > 0) for (const list of lists) void list.refresh();
  }, [changed]);
  const [waiting, accepted] = lists.map(({ rows }) => rows.value);
  const all = useMemo(() => [...(waiting ?? []), ...(accepted ?? [])], [waiting, accepted]);
  const markers = useMemo(
    () =>
      all.flatMap((claim): Marker[] => {
        const place = files?.placeOf(claim.place.zip);
        const { city, state } = claim.place;
        const isOffer = claim.status !== 'accepted';
        return place === undefined ? [] : [{ id: claim.id, place, isOffer, title: claim.name, city, state }];
      }),
    [all, files],
  );
  const shown = all.filter(({ id }) => chosen.includes(id));
  const isPartial = lists.some(({ hasMore }) => hasMore.value);
  return (
    <>
      <ScreenHeader title={texts.value.nav.map} />
      {isPartial && <Note kind="neutral">{words.partial(all.length)}</Note>}
      {files === undefined || waiting === undefined || accepted === undefined ? (
        <p class="muted map-loading">{words.loading}</p>
      ) : all.length === 0 ? (
        <EmptyState title={texts.value.none} icon="map" />
      ) : (
        <MapView
          {...{ lines: files.lines, markers, chosen }}
          words={{ ...words, offers: texts.value.board.waiting, claims: statusName('accepted') }}
          choose={setChosen}
          maxListed={MAX_PER_MARKER}
          scheme={desk.scheme.value}
        />
      )}
      {all.length > markers.length && files !== undefined && (
        <p class="muted">{words.unknown(all.length - markers.length)}</p>
      )}
      {shown.length > 0 && (
        <ul class="list rows" aria-label={words.label}>
          {shown.slice(0, MAX_LISTED).map((claim) => (
            <li key={claim.id} class="wide-row">
              <a class="strong" href={`#/claims/${claim.id}`}>
                {claim.name}
              </a>
              <StatusPill status={claim.status} late={claim.late} />
              <span class="line muted">{`${claim.place.street}, ${claim.place.city}`}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="muted">
        {words.lead} {words.source}.
      </p>
    </>
  );
}
