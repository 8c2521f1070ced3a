import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { offerRow, selectableRow } from '../components/claim-row.tsx';
import { OriginDialog, RejectDialog } from '../components/dialogs.ts';
import { UnreadableClaims } from '../components/error-boundary.tsx';
import { lazy } from '../components/lazy.tsx';
import { problemOf, undoLabel } from '../components/not-sent-yet.tsx';
import { ActionBar, Button, EmptyState, Icon, ScreenHeader, TapGuard } from '../components/ui.tsx';
import { WindowedList } from '../components/windowed-list.tsx';
import { dateTime } from '../format.ts';
import { GROUPINGS, type Grouping, ORDERS, type Order } from '../model/arrange.ts';
import { isLost } from '../outbox/answers.ts';
import { answerOffers, isUndoable, openOffers, undoAnswers, unsentAnswers } from '../state/answers.ts';
import { arrangedOffers, arrangement, changeArrangement } from '../state/arrangement.ts';
import { texts } from '../state/language.ts';
import { lists } from '../state/lists.ts';
import { dismissOutcomes, keptOutcomes, lineOf, MAX_LINES, summaryOf } from '../state/outcomes.ts';
import { origin } from '../state/places.ts';
import { session } from '../state/session.ts';
import { showError } from '../state/toast.ts';

const OfferHints = lazy(async () => (await import('../components/offer-hints.tsx')).OfferHints);

/** From here on the list has a search field and can be sorted and grouped. */
const TOOLBAR_FROM = 4;

export function Offers() {
  const words = texts.value;
  const open = openOffers.value;
  const firms = session.profile.value?.firms ?? [];
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);
  const groups = arrangedOffers.value;
  const shown = groups.reduce((count, { claims }) => count + claims.length, 0);
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  return (
    <>
      <ScreenHeader title={words.offers.title}>
        {open !== undefined && open.length > 0 && <p class="muted">{words.offers.count(open.length)}</p>}
      </ScreenHeader>
      <UnreadableClaims />
      <Invitations />
      <UnsentAnswers />
      <Outcomes />
      {open !== undefined && (open.length >= TOOLBAR_FROM || arrangement.value.search !== '') && <Toolbar />}
      <div class="row tools">
        {open !== undefined && open.length > 1 && (
          <Button kind="quiet" onClick={() => setSelected(selected === null ? new Set() : null)}>
            {selected === null ? words.offers.select : words.offers.selectDone}
          </Button>
        )}
        {selected !== null && (
          <Button
            kind="quiet"
            onClick={() => setSelected(new Set(groups.flatMap(({ claims }) => claims.map(({ id }) => id))))}
          >
            {words.offers.selectAll}
          </Button>
        )}
        {/* Not while the list loads: the search field would move it. */}
        {selected === null && (open !== undefined || !session.reachable.value) && (
          <>
            <a class="button quiet" href="#/map">
              {words.map.title}
            </a>
            <a class="button quiet" href="#/history">
              {words.history.title}
            </a>
          </>
        )}
      </div>
      {open === undefined ? (
        <p class="muted">{session.reachable.value ? words.loading : words.network.noLists}</p>
      ) : open.length === 0 ? (
        <EmptyState title={words.offers.none}>
          <p>{firms.length === 0 ? words.offers.noFirm : words.offers.noneMore}</p>
          {firms.length === 0 && <p class="strong">{session.profile.value?.svc_id}</p>}
        </EmptyState>
      ) : shown === 0 ? (
        <p class="muted">{words.offers.noneFound}</p>
      ) : (
        groups.map(({ key, title, claims }) => (
          <section key={key} class="group">
            {title !== '' && (
              <h2>
                {title} <span class="muted">{claims.length}</span>
              </h2>
            )}
            <WindowedList
              claims={claims}
              label={title === '' ? undefined : title}
              row={(claim) =>
                selected === null ? offerRow(claim) : selectableRow(claim, selected.has(claim.id), toggle)
              }
            />
          </section>
        ))
      )}
      {/* Its modules would delay the list. */}
      {open !== undefined && <OfferHints />}
      {selected !== null && <SelectionBar selected={selected} done={() => setSelected(null)} />}
    </>
  );
}

function Toolbar() {
  const words = texts.value.offers;
  const { grouping, order, search } = arrangement.value;
  const [asking, setAsking] = useState(false);
  const sort = (value: string) => {
    const wanted = ORDERS.find((one) => one === value) ?? 'age';
    changeArrangement({ order: wanted });
    if (wanted === 'distance' && origin.value === null) setAsking(true);
  };
  const orders: Readonly<Record<Order, string>> = {
    age: words.byAge,
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
        onInput={(event) => changeArrangement({ search: event.currentTarget.value })}
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
          changeArrangement({ grouping: GROUPINGS.find((one) => one === currentTarget.value) ?? 'none' })
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
          {origin.value === null
            ? texts.value.distance.title
            : texts.value.distance.from(origin.value.zip ?? null)}
        </Button>
      )}
      {asking && <OriginDialog close={() => setAsking(false)} />}
    </search>
  );
}

/** Answers all selected offers. */
function SelectionBar({ selected, done }: { selected: ReadonlySet<string>; done: () => void }) {
  const words = texts.value;
  const [rejecting, setRejecting] = useState(false);
  const claims = (openOffers.value ?? []).filter(({ id }) => selected.has(id));
  const answer = (kind: 'accept' | 'reject', reason?: string) => {
    setRejecting(false);
    done();
    void answerOffers(claims, kind, reason).catch(showError);
  };
  return (
    <ActionBar shows="selection">
      <Button disabled={claims.length === 0} onClick={() => setRejecting(true)}>
        {words.offers.rejectCount(claims.length)}
      </Button>
      <Button kind="primary" disabled={claims.length === 0} onClick={() => answer('accept')}>
        {words.offers.acceptCount(claims.length)}
      </Button>
      {rejecting && (
        <RejectDialog
          title={words.offers.rejectCount(claims.length)}
          claimIds={claims.map(({ id }) => id)}
          close={() => setRejecting(false)}
          confirm={(reason) => answer('reject', reason)}
        />
      )}
    </ActionBar>
  );
}

/** What was lost, and what came of offers that were answered together, until it is dismissed. */
function Outcomes() {
  const words = texts.value;
  const { value: kept } = keptOutcomes;
  if (kept.length === 0) return null;
  const isLong = kept.length > MAX_LINES;
  const listed = isLong ? kept.filter(isLost) : kept;
  return (
    <section class="card" aria-labelledby="outcomes" role="status">
      <div class="row spread">
        <h2 id="outcomes">{words.offers.results}</h2>
        <Button kind="quiet" onClick={() => void dismissOutcomes().catch(showError)}>
          {words.offers.dismiss}
        </Button>
      </div>
      {isLong && <p>{summaryOf(kept)}</p>}
      <Folded count={listed.length}>
        {listed.map((outcome) => (
          <li key={outcome.claimId}>{lineOf(outcome)}</li>
        ))}
      </Folded>
    </section>
  );
}

const MAX_UNFOLDED = 3;

/** A list, which is folded when it would fill the screen. */
function Folded({ count, children }: { count: number; children: ComponentChildren }) {
  const list = <ul class="stack">{children}</ul>;
  if (count <= MAX_UNFOLDED) return list;
  return (
    <details>
      <summary>{texts.value.offers.showAll(count)}</summary>
      {list}
    </details>
  );
}

export function Invitations() {
  const words = texts.value.invitations;
  if (lists.invitations.value.length === 0) return null;
  return (
    <ul class="list">
      {lists.invitations.value.map((invitation) => (
        <li key={invitation.firm_id}>
          <a class="card invitation" href={`#/invitations/${invitation.firm_id}`}>
            <Icon name="invite" />
            <span class="row-main">
              <span class="strong">{words.card(invitation.firm_name)}</span>
              {invitation.invited_as !== null && <span class="line">{words.as(invitation.invited_as)}</span>}
              <span class="line muted">{words.ends(dateTime(invitation.expires_at))}</span>
            </span>
            <Icon name="next" />
          </a>
        </li>
      ))}
    </ul>
  );
}

function UnsentAnswers() {
  const words = texts.value;
  const unsent = unsentAnswers.value;
  if (unsent.length === 0) return null;
  return (
    <section class="card queued-answers" aria-labelledby="queued-answers">
      <h2 id="queued-answers">{words.offers.queued}</h2>
      <p class="muted">{problemOf(unsent) ?? words.offers.queuedMore}</p>
      {/* The next answer takes the place of one that was taken back or sent. */}
      <TapGuard shows={unsent.map(({ key }) => key).join()}>
        <Folded count={unsent.length}>
          {unsent.map((one) => (
            <li key={one.id}>
              <a href={`#/claims/${one.key}`}>
                {one.answer === 'accept' ? words.claim.accept : words.claim.reject}: {one.title}
              </a>
              {isUndoable(one) && (
                <Button kind="quiet" onClick={() => void undoAnswers([one.key])}>
                  {undoLabel([one])}
                </Button>
              )}
            </li>
          ))}
        </Folded>
      </TapGuard>
    </section>
  );
}
