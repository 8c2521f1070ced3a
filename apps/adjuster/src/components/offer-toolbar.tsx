import './offer-toolbar.css';
import { Button } from '@svc/web-app/components/ui';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { arrangement, places } from '../app.ts';
import { GROUPINGS, type Grouping, ORDERS, type Order } from '../model/arrange.ts';
import { OriginDialog } from './distance.tsx';

/** Searches, sorts and groups the offers. */
export function OfferToolbar() {
  const words = allTexts.value.toolbar;
  const { grouping, order, search } = arrangement.arrangement.value;
  const [asking, setAsking] = useState(false);
  const sort = (value: string) => {
    const wanted = ORDERS.find((one) => one === value) ?? 'age';
    arrangement.change({ order: wanted });
    if (wanted === 'distance' && places.origin.value === null) setAsking(true);
  };
  const orders: Readonly<Record<Order, string>> = {
    age: words.byAge,
    reply: words.byReply,
    distance: words.byDistance,
    loss: words.byLoss,
  };
  const groupings: Readonly<Record<Grouping, string>> = {
    none: words.notGrouped,
    place: words.byPlace,
    firm: words.byFirm,
  };
  return (
    <search class="toolbar">
      <input
        type="search"
        data-stored
        aria-label={words.search}
        placeholder={words.search}
        value={search}
        onInput={(event) => arrangement.change({ search: event.currentTarget.value })}
      />
      <select aria-label={words.sort} value={order} onChange={(event) => sort(event.currentTarget.value)}>
        {ORDERS.map((one) => (
          <option key={one} value={one}>
            {orders[one]}
          </option>
        ))}
      </select>
      <select
        aria-label={words.group}
        value={grouping}
        onChange={({ currentTarget }) =>
          arrangement.change({ grouping: GROUPINGS.find((one) => one === currentTarget.value) ?? 'none' })
        }
      >
        {GROUPINGS.map((one) => (
          <option key={one} value={one}>
            {groupings[one]}
          </option>
        ))}
      </select>
      {order === 'distance' && (
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {places.origin.value === null
            ? allTexts.value.distance.title
            : allTexts.value.distance.from(places.origin.value.zip ?? null)}
        </Button>
      )}
      {asking && <OriginDialog close={() => setAsking(false)} />}
    </search>
  );
}
