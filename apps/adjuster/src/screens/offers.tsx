import { useEffect, useState } from 'preact/hooks';
import { kept } from '../data/kept.ts';
import { noticeState, turnNoticesOn } from '../data/push.ts';
import { moment } from '../format.ts';
import { ClaimCard } from '../parts/claim-card.tsx';
import { Button, Icon, Note, Nothing, ScreenHead } from '../parts/ui.tsx';
import { complain, invitations, offers, profile, say, takeBack, texts, waiting } from '../state.ts';

export function Offers() {
  const words = texts.value;
  const answered = new Set(waiting.value.map(({ claimId }) => claimId));
  const open = offers.value?.filter(({ id }) => !answered.has(id));
  const firms = profile.value?.firms ?? [];
  return (
    <>
      <ScreenHead title={words.offers.title}>
        {open !== undefined && open.length > 0 && <p class="muted">{words.offers.count(open.length)}</p>}
      </ScreenHead>
      <Invitations />
      <WaitingAnswers />
      {open === undefined ? (
        <p class="muted">{words.loading}</p>
      ) : open.length > 0 ? (
        <ul class="list">
          {open.map((claim) => (
            <ClaimCard key={claim.id} claim={claim} list="offer" />
          ))}
        </ul>
      ) : (
        <Nothing title={words.offers.none}>
          <p>{firms.length === 0 ? words.offers.noFirm : words.offers.noneMore}</p>
          {firms.length === 0 && <p class="strong">{profile.value?.svc_id}</p>}
        </Nothing>
      )}
      <NoticeSuggestion />
      {firms
        .filter((firm) => !firm.accepting_assignments)
        .map((firm) => (
          <Note kind="plain" key={firm.firm_id}>
            {words.offers.paused(firm.firm_name)} <a href="#/firms">{words.nav.firms}</a>
          </Note>
        ))}
    </>
  );
}

export function Invitations() {
  const words = texts.value.invitations;
  if (invitations.value.length === 0) return null;
  return (
    <ul class="list">
      {invitations.value.map((invitation) => (
        <li key={invitation.firm_id}>
          <a class="card claim-card invitation" href={`#/invitations/${invitation.firm_id}`}>
            <Icon name="invite" />
            <span class="claim-card-main">
              <span class="strong">{words.card(invitation.firm_name)}</span>
              {invitation.invited_as !== null && <span class="line">{words.as(invitation.invited_as)}</span>}
              <span class="line muted">{words.ends(moment(invitation.expires_at))}</span>
            </span>
            <Icon name="next" />
          </a>
        </li>
      ))}
    </ul>
  );
}

function WaitingAnswers() {
  const words = texts.value;
  if (waiting.value.length === 0) return null;
  return (
    <section class="card waiting-answers" aria-labelledby="waiting-answers">
      <h2 id="waiting-answers">{words.offers.toSend}</h2>
      <p class="muted">{words.offers.toSendMore}</p>
      <ul>
        {waiting.value.map(({ claimId, answer, title }) => (
          <li key={claimId}>
            <a href={`#/claims/${claimId}`}>
              {answer === 'accept' ? words.claim.accept : words.claim.reject}: {title}
            </a>
            <Button kind="quiet" onClick={() => void takeBack(claimId)}>
              {words.claim.takeBack}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Offered once, where it is understood: an offer that nobody sees costs the firm a day. */
function NoticeSuggestion() {
  const words = texts.value.settings;
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void Promise.all([noticeState(), kept.get('noticesAsked')])
      .then(([state, asked]) => setShown(state === 'off' && asked !== true))
      .catch(() => {});
  }, []);
  if (!shown) return null;
  const settle = () => {
    setShown(false);
    void kept.put('noticesAsked', true);
  };
  const turnOn = async () => {
    setBusy(true);
    try {
      const state = await turnNoticesOn();
      if (state === 'on') say(words.noticesOn, 'good');
      settle();
    } catch (error) {
      if (error instanceof DOMException) {
        say(words.noticesFailed, 'bad');
        settle();
      } else complain(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="card suggestion" aria-label={words.notices}>
      <p>{words.suggestion}</p>
      <div class="beside">
        <Button kind="primary" busy={busy} onClick={() => void turnOn()}>
          {words.turnOn}
        </Button>
        <Button kind="quiet" onClick={settle}>
          {words.later}
        </Button>
      </div>
    </section>
  );
}
