import { ApiError } from '@svc/web-app/api-error';
import { Facts, fact } from '@svc/web-app/components/facts';
import { Button, EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { account, call, dateTime, go, lists, request, showError, showToast } from '../app.ts';
import { forgetProfile, isProfileField, ProfileInput, typedProfile } from '../components/profile-input.tsx';

export function InvitationScreen({ firmId }: { firmId: string }) {
  const words = allTexts.value;
  const invitation = lists.invitations.value.find(({ firm_id }) => firm_id === firmId);
  const [busy, setBusy] = useState(false);
  const [rejectedFields, setRejectedFields] = useState<readonly string[]>([]);
  if (invitation === undefined) {
    return (
      <>
        <ScreenHeader title={words.invitation.title} back="#/" />
        {lists.readAt.value === null ? (
          <p class="muted">{words.loading}</p>
        ) : (
          <EmptyState title={words.invitation.gone} icon="invite" />
        )}
      </>
    );
  }
  const missing = invitation.missing_profile_fields.filter(isProfileField);

  const answer = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(true);
    try {
      await request(work);
      await lists.refresh();
      showToast(done, 'success', '#/');
      go('#/');
    } catch (error) {
      if (error instanceof ApiError && error.fields.length > 0) setRejectedFields(error.fields);
      // Withdrawn, expired, or more fields are required now: the refreshed invitation shows which.
      else if (error instanceof ApiError && (error.status === 404 || error.code === 'profile_incomplete'))
        await lists.refresh();
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
        await account.saveProfile(
          Object.fromEntries(missing.map((name) => [name, typedProfile(name).trim()])),
        );
        forgetProfile();
      }
      await call('acceptInvitation', { params: { firm_id: firmId } });
    }, words.invitation.joined(invitation.firm_name));
  };
  const decline = () =>
    void answer(() => call('declineInvitation', { params: { firm_id: firmId } }), words.invitation.declined);

  return (
    <>
      <ScreenHeader title={words.invitations.card(invitation.firm_name)} back="#/" />
      <form class="card form" data-stored onSubmit={accept}>
        <Facts
          facts={[
            fact(words.invitation.asLabel, invitation.invited_as),
            fact(words.invitation.invitedAt, invitation.invited_at, dateTime),
            fact(words.invitation.endsLabel, invitation.expires_at, dateTime),
          ]}
        />
        <p>{words.invitation.meaning}</p>
        {missing.length > 0 && <p class="strong">{words.invitation.missing}</p>}
        {missing.map((name) => (
          <ProfileInput key={name} name={name} rejectedFields={rejectedFields} required />
        ))}
        <div class="row">
          <Button kind="primary" type="submit" busy={busy}>
            {missing.length > 0 ? words.invitation.acceptWith : words.invitation.accept}
          </Button>
          <Button disabled={busy} onClick={decline}>
            {words.invitation.decline}
          </Button>
        </div>
      </form>
    </>
  );
}
