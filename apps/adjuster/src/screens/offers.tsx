import { lazy } from '@svc/web-app/components/lazy';
import { Button, EmptyState, Icon, ScreenHeader } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useState } from 'preact/hooks';
import { answers, arrangement, dateTime, lists, outcomes, session, texts, typed } from '../app.ts';
import { offerRow, selectableRow } from '../components/claim-row.tsx';
import { UnreadableClaims } from '../components/unreadable-claims.tsx';

/** They are needed once something is answered. */
const loadAnswers = () => import('../components/offer-answers.tsx');
const SelectionBar = lazy(async () => (await loadAnswers()).SelectionBar);
const Outcomes = lazy(async () => (await loadAnswers()).Outcomes);
const UnsentAnswers = lazy(async () => (await loadAnswers()).UnsentAnswers);
const Toolbar = lazy(async () => (await import('../components/offer-toolbar.tsx')).OfferToolbar);
const OfferHints = lazy(async () => (await import('../components/offer-hints.tsx')).OfferHints);

/** The network may be gone when an offer is answered, on whatever screen. */
export const preloadAnswers = (): Promise<unknown> =>
  Promise.all([SelectionBar, Outcomes, UnsentAnswers, OfferHints].map((part) => part.preload()));

/** From here on the list has a search field and can be sorted and grouped. */
const TOOLBAR_FROM = 4;

export function Offers() {
  const words = texts.value;
  const open = answers.openOffers.value;
  const firms = session.profile.value?.firms ?? [];
  // Kept as it is typed: a phone may close the page.
  const { selected: selectedIds } = typed.fields.texts.value;
  const selected = selectedIds === undefined ? null : new Set(selectedIds.split(' ').filter(Boolean));
  const setSelected = (ids: ReadonlySet<string> | null): void =>
    typed.fields.keep(['selected'], ids === null ? undefined : [...ids].join(' '));
  const [unfolded, setUnfolded] = useState(false);
  const groups = arrangement.arrangedOffers.value;
  const shown = groups.flatMap(({ claims }) => claims);
  const isArranged = arrangement.arrangement.value.search !== '';
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  return (
    <>
      <ScreenHeader
        title={words.offers.title}
        aside={open?.length ? words.offers.count(open.length) : undefined}
      />
      <UnreadableClaims />
      <Invitations />
      {answers.unsent.value.length > 0 && <UnsentAnswers />}
      {outcomes.kept.value.length > 0 && <Outcomes />}
      <div class="row tools">
        {open !== undefined && (open.length >= TOOLBAR_FROM || isArranged) && (
          <Button kind="quiet" aria-expanded={unfolded || isArranged} onClick={() => setUnfolded(!unfolded)}>
            {words.offers.tools}
          </Button>
        )}
        {open !== undefined && open.length > 1 && (
          <Button kind="quiet" onClick={() => setSelected(selected === null ? new Set() : null)}>
            {selected === null ? words.offers.select : words.offers.selectDone}
          </Button>
        )}
        {selected !== null && (
          <Button kind="quiet" onClick={() => setSelected(new Set(shown.map(({ id }) => id)))}>
            {words.offers.selectAll}
          </Button>
        )}
        {/* Not while the list loads: the buttons would move. */}
        {selected === null && (open !== undefined || !session.reachable.value) && (
          <>
            <a class="button quiet" href="#/map">
              {words.nav.map}
            </a>
            <a class="button quiet" href="#/history">
              {words.nav.history}
            </a>
          </>
        )}
      </div>
      {(unfolded || isArranged) && <Toolbar />}
      {open === undefined ? (
        <p class="muted">{session.reachable.value ? words.loading : words.network.noLists}</p>
      ) : open.length === 0 ? (
        <EmptyState title={words.offers.none}>
          <p>{firms.length === 0 ? words.offers.noFirm : words.offers.noneMore}</p>
          {firms.length === 0 && <p class="strong">{session.profile.value?.svc_id}</p>}
        </EmptyState>
      ) : shown.length === 0 ? (
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
              items={claims}
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
      {selected !== null && (
        <SelectionBar
          claims={(open ?? []).filter(({ id }) => selected.has(id))}
          done={() => setSelected(null)}
        />
      )}
    </>
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
