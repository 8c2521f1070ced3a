import { spreadsheetCsv } from '@svc/csv-import/in-page';
import { Dialog } from '@svc/web-app/components/dialog';
import { Button, Note, TapGuard, TestBadge } from '@svc/web-app/components/ui';
import { useId } from 'preact/hooks';
import { desk, texts } from '../app.ts';
import { FileField } from '../components/file-field.tsx';
import { saveCsv } from '../save-csv.ts';
import {
  createInvitations,
  type InvitationRun,
  type Invited,
  needsCorrection,
} from '../state/invitations.ts';
import { countsText } from '../state/upload.ts';

/** Of a list in the page; the file for a spreadsheet has the others, too. */
const MAX_SHOWN = 100;
/** A list that is pasted; a longer one is a file. */
const MAX_TYPED = 500_000;

const invitations = desk.openInvitations(createInvitations);

/** Invites a list of adjusters, pasted or from a file, and says what became of each. */
export function InviteMany({ close }: { readonly close: () => void }) {
  const { value: run } = invitations.run;
  return (
    <Dialog title={texts.value.adjusters.inviteMany} close={close}>
      <TapGuard shows={run?.kind ?? 'list'}>
        {run === undefined ? <List close={close} /> : <Run run={run} close={close} />}
      </TapGuard>
    </Dialog>
  );
}

function List({ close }: { readonly close: () => void }) {
  const words = texts.value.adjusters;
  const list = useId();
  const { entries, leftOut } = invitations.list.value;
  const { value: notice } = invitations.notice;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void invitations.send();
      }}
    >
      <p class="muted">{words.manyLead}</p>
      <div class="field">
        <label for={list}>{words.list}</label>
        <textarea
          id={list}
          rows={8}
          spellcheck={false}
          maxLength={MAX_TYPED}
          value={invitations.typed.value}
          onInput={({ currentTarget }) => {
            invitations.notice.value = undefined;
            invitations.typed.value = currentTarget.value;
          }}
        />
      </div>
      <FileField choose={(file) => void invitations.choose(file).catch(desk.showError)} />
      {notice?.kind === 'unreadable' && (
        <Note kind="warning">
          <p role="alert">{texts.value.ofService(notice.text)}</p>
        </Note>
      )}
      <p role="status">
        {words.found(entries.length)}{' '}
        {(notice?.kind === 'left_out' || leftOut.length > 0) &&
          words.leftOut(notice?.text ?? leftOut.join(', '))}
      </p>
      <div class="row">
        <Button kind="primary" type="submit" disabled={entries.length === 0}>
          {words.sendMany(entries.length)}
        </Button>
        <Button onClick={close}>{texts.value.cancel}</Button>
      </div>
    </form>
  );
}

function countsOf(done: readonly Invited[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const one of done) {
    const outcome = needsCorrection(one) ? 'failed' : one.outcome;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** Names and email addresses are pasted by mistake. */
const reasonOf = ({ svcId, outcome }: Invited): string => {
  const { adjusters, refusals } = texts.value;
  return outcome === 'invalid' || /[\s@]/.test(svcId) ? adjusters.noSvcId : (refusals[outcome] ?? outcome);
};

function Run({ run, close }: { readonly run: InvitationRun; readonly close: () => void }) {
  const words = texts.value.adjusters;
  const { states, rows } = texts.value.upload;
  const { kind, done, total } = run;
  const failed = done.filter(needsCorrection);
  const save = (): void => {
    const lines = failed.map((one) => [one.svcId, one.row, reasonOf(one)]);
    saveCsv(spreadsheetCsv([['SVCID', 'row', 'reason'], ...lines]), 'not-invited.csv');
  };
  return (
    <div class="form">
      <p role="status">
        <span class="strong">{states[kind]}</span> <TestBadge test={run.environment === 'test'} />
        <span class="line">
          {rows(done.length, total)} {countsText(words.outcomes, countsOf(done))}
        </span>
      </p>
      <progress max={Math.max(total, 1)} value={done.length} aria-label={states[kind]} />
      {failed.length > 0 && (
        <>
          <h3>{words.toCorrect(failed.length)}</h3>
          <ul>
            {failed.slice(0, MAX_SHOWN).map((one) => (
              <li key={`${one.row} ${one.svcId}`}>
                <code>{one.svcId}</code> <span class="muted">{reasonOf(one)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="row">
        {kind === 'stopped' && (
          <Button kind="primary" onClick={() => void invitations.send()}>
            {texts.value.sandbox.commands.resume}
          </Button>
        )}
        {kind !== 'sending' && failed.length > 0 && (
          <>
            <Button kind="primary" onClick={invitations.correct}>
              {words.correct}
            </Button>
            <Button onClick={save}>{texts.value.download}</Button>
          </>
        )}
        {kind === 'sent' && failed.length === 0 && (
          <Button onClick={invitations.restart}>{words.another}</Button>
        )}
        <Button onClick={close}>{texts.value.close}</Button>
      </div>
    </div>
  );
}
