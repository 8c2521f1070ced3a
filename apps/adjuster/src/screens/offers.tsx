import type { AppClaim } from '@svc/contract';
import { lazy } from '@svc/web-app/components/lazy';
import { ActionBar, Button, EmptyState, Icon, ScreenHeader, TapGuard } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { answers, arrangement, dateTime, lists, outcomes, session, showError, texts } from '../app.ts';
import { offerRow, selectableRow } from '../components/claim-row.tsx';
import { problemOf, SendNow, undoLabel } from '../components/not-sent-yet.tsx';
import { UnreadableClaims } from '../components/unreadable-claims.tsx';
import { offerLabel } from '../model/history.ts';
import { isLost, type Outcome } from '../outbox/answers.ts';
import { MAX_LINES } from '../state/outcomes.ts';

const BulkDialog = lazy(async () => (await import('../components/bulk-dialog.tsx')).BulkDialog);
const Toolbar = lazy(async () => (await import('../components/offer-toolbar.tsx')).OfferToolbar);
const OfferHints = lazy(async () => (await import('../components/offer-hints.tsx')).OfferHints);

/** From here on the list has a search field and can be sorted and grouped. */
const TOOLBAR_FROM = 4;

export function Offers() {
  const words = texts.value;
  const open = answers.openOffers.value;
  const firms = session.profile.value?.firms ?? [];
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);
  const [unfolded, setUnfolded] = useState(false);
  const groups = arrangement.arrangedOffers.value;
  const shown = groups.flatMap(({ claims }) => claims);
  const isArranged = arrangement.arrangement.value.search !== '';
  const isListed = open !== undefined;
  useEffect(() => {
    // The network may be gone when several offers are answered.
    if (isListed) void BulkDialog.preload().catch(() => {});
  }, [isListed]);
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
      <UnsentAnswers />
      <Outcomes />
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

/** Answers all selected offers. */
function SelectionBar({ claims, done }: { claims: readonly AppClaim[]; done: () => void }) {
  const words = texts.value.offers;
  const [asked, setAsked] = useState<'accept' | 'reject' | null>(null);
  const answer = (reason?: string) => {
    if (asked !== null) void answers.answer(claims, asked, reason).catch(showError);
    done();
  };
  return (
    <ActionBar shows="selection">
      <Button disabled={claims.length === 0} onClick={() => setAsked('reject')}>
        {words.rejectCount(claims.length)}
      </Button>
      <Button kind="primary" disabled={claims.length === 0} onClick={() => setAsked('accept')}>
        {words.acceptCount(claims.length)}
      </Button>
      {asked !== null && (
        <BulkDialog kind={asked} claims={claims} close={() => setAsked(null)} confirm={answer} />
      )}
    </ActionBar>
  );
}

/** What came of the answers, until it is dismissed. What was lost is unfolded. */
function Outcomes() {
  const words = texts.value.offers;
  const { value: kept } = outcomes.kept;
  if (kept.length === 0) return null;
  const lost = kept.filter(isLost);
  const line = (outcome: Outcome) => (
    <li key={outcome.claimId}>
      {outcomes.lineOf(outcome)}
      {outcome.detail !== undefined && <span class="line muted">{outcome.detail}</span>}
    </li>
  );
  return (
    <section class="card outcomes" aria-label={words.results} role="status">
      <div class="row spread">
        <details open={kept.length <= MAX_LINES}>
          <summary>
            {words.results}: {outcomes.summaryOf(kept)}
          </summary>
          <ul class="stack">{kept.filter((one) => !isLost(one)).map(line)}</ul>
        </details>
        <Button kind="quiet" onClick={() => void outcomes.dismiss().catch(showError)}>
          {words.dismiss}
        </Button>
      </div>
      {lost.length > 0 && <Folded count={lost.length}>{lost.map(line)}</Folded>}
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
  const unsent = answers.unsent.value;
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
              <span>
                <a href={`#/claims/${one.key}`}>
                  {one.answer === 'accept' ? words.claim.accept : words.claim.reject}: {one.title}
                </a>
                <span class="line muted">{offerLabel(one.offer)}</span>
              </span>
              {answers.isUndoable(one) && (
                <Button kind="quiet" onClick={() => void answers.undo([one.key])}>
                  {undoLabel([one])}
                </Button>
              )}
            </li>
          ))}
        </Folded>
      </TapGuard>
      <SendNow kind="quiet" entries={unsent} />
    </section>
  );
}
