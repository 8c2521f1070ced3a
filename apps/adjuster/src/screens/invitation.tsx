import type { Membership, ProfileField } from '@svc/contract';
import { useState } from 'preact/hooks';
import { Facts, fact } from '../components/facts.tsx';
import { isProfileField, ProfileInput } from '../components/profile-input.tsx';
import { Button, EmptyState, ScreenHeader } from '../components/ui.tsx';
import { ApiError, call } from '../data/api.ts';
import { dateTime } from '../format.ts';
import { go } from '../navigation.ts';
import { texts } from '../state/language.ts';
import { lists, refresh } from '../state/lists.ts';
import { saveProfile } from '../state/profile.ts';
import { request } from '../state/session.ts';
import { showError, showToast } from '../state/toast.ts';

export function InvitationScreen({ firmId }: { firmId: string }) {
  const words = texts.value;
  const invitation = lists.invitations.value.find(({ firm_id }) => firm_id === firmId);
  const [fields, setFields] = useState<Partial<Record<ProfileField, string>>>({});
  const [busy, setBusy] = useState(false);
  const [rejectedFields, setRejectedFields] = useState<readonly string[]>([]);
  if (invitation === undefined) {
    return (
      <>
        <ScreenHeader title={words.invitations.title} back="#/" />
        {lists.readAt.value === null ? (
          <p class="muted">{words.loading}</p>
        ) : (
          <EmptyState title={words.invitations.gone} icon="invite" />
        )}
      </>
    );
  }
  const missing = invitation.missing_profile_fields.filter(isProfileField);

  const answer = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(true);
    try {
      await request(work);
      await refresh();
      showToast(done, 'success', '#/');
      go('#/');
    } catch (error) {
      if (error instanceof ApiError && error.fields.length > 0) setRejectedFields(error.fields);
      // Withdrawn, expired, or more fields are required now: the refreshed invitation shows which.
      else if (error instanceof ApiError && (error.status === 404 || error.code === 'profile_incomplete'))
        await refresh();
      else showError(error);
    } finally {
      setBusy(false);
    }
  };
  const accept = (event: Event) => {
    event.preventDefault();
    setRejectedFields([]);
    void answer(async () => {
      if (missing.length > 0) {
        await saveProfile(Object.fromEntries(missing.map((name) => [name, fields[name]?.trim() ?? ''])));
      }
      await call<Membership>('POST', `v1/invitations/${firmId}/acceptance`);
    }, words.invitations.joined(invitation.firm_name));
  };
  const decline = () =>
    void answer(() => call('POST', `v1/invitations/${firmId}/decline`), words.invitations.declined);

  return (
    <>
      <ScreenHeader title={words.invitations.card(invitation.firm_name)} back="#/" />
      <form class="card form" onSubmit={accept}>
        <Facts
          facts={[
            fact(words.invitations.asLabel, invitation.invited_as),
            fact(words.invitations.invitedAt, invitation.invited_at, dateTime),
            fact(words.invitations.endsLabel, invitation.expires_at, dateTime),
          ]}
        />
        <p>{words.invitations.meaning}</p>
        {missing.length > 0 && <p class="strong">{words.invitations.missing}</p>}
        {missing.map((name) => (
          <ProfileInput
            key={name}
            name={name}
            rejectedFields={rejectedFields}
            required
            value={fields[name] ?? ''}
            onInput={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
          />
        ))}
        <div class="row">
          <Button kind="primary" type="submit" busy={busy}>
            {missing.length > 0 ? words.invitations.acceptWith : words.invitations.accept}
          </Button>
          <Button disabled={busy} onClick={decline}>
            {words.invitations.decline}
          </Button>
        </div>
      </form>
    </>
  );
}
