import { ApiError } from '@svc/web-app/api-error';
import { Facts, fact } from '@svc/web-app/components/facts';
import { Button, EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { account, call, dateTime, go, lists, request, showError, showToast } from '../app.ts';
import { forgetProfile, isProfileField, ProfileInput, typedProfile } from '../components/profile-input.tsx';

export function InvitationScreen({ firmId }: { firmId: string }) {
  const words = allTexts.value;
  const invitation = lists.invitations.value.find(({ firm_id }) => firm_id === firmId);
  const [busy, during] = useBusy();
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
  const params = { firm_id: firmId };
  const missing = invitation.missing_profile_fields.filter(isProfileField);

  const answer = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    await request(work);
    await lists.refresh();
    showToast(done, 'success', '#/');
    go('#/');
  };
  const failed = (error: unknown): Promise<void> | void => {
    if (error instanceof ApiError && error.fields.length > 0) return setRejectedFields(error.fields);
    // Withdrawn, expired, or more fields are required now: the refreshed invitation shows which.
    if (error instanceof ApiError && (error.status === 404 || error.code === 'profile_incomplete'))
      return lists.refresh();
    showError(error);
  };
  const accept = (event: Event) => {
    event.preventDefault();
    setRejectedFields([]);
    const join = async () => {
      if (missing.length > 0) {
        await account.saveProfile(
          Object.fromEntries(missing.map((name) => [name, typedProfile(name).trim()])),
        );
        forgetProfile();
      }
      await call('acceptInvitation', { params });
    };
    void during(() => answer(join, words.invitation.joined(invitation.firm_name)), failed);
  };
  const decline = () =>
    void during(() => answer(() => call('declineInvitation', { params }), words.invitation.declined), failed);

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
