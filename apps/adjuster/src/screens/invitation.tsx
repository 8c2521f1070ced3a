import type { Membership, Profile, ProfileField } from '@svc/contract';
import { useState } from 'preact/hooks';
import { call, Refusal } from '../data/api.ts';
import { moment } from '../format.ts';
import { Facts, fact } from '../parts/facts.tsx';
import { isProfileField, ProfileInput } from '../parts/profile-field.tsx';
import { Button, Nothing, ScreenHead } from '../parts/ui.tsx';
import { go } from '../route.ts';
import { ask, complain, invitations, readAt, refresh, say, texts } from '../state.ts';

export function InvitationScreen({ firmId }: { firmId: string }) {
  const words = texts.value;
  const invitation = invitations.value.find(({ firm_id }) => firm_id === firmId);
  const [fields, setFields] = useState<Partial<Record<ProfileField, string>>>({});
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly string[]>([]);
  if (invitation === undefined) {
    return (
      <>
        <ScreenHead title={words.invitations.title} back="#/" />
        {readAt.value === null ? (
          <p class="muted">{words.loading}</p>
        ) : (
          <Nothing title={words.invitations.gone} icon="invite" />
        )}
      </>
    );
  }
  const missing = invitation.missing_profile_fields.filter(isProfileField);

  const answer = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(true);
    try {
      await ask(work);
      say(done, 'good');
      await refresh();
      go('#/');
    } catch (error) {
      if (error instanceof Refusal && error.fields.length > 0) setRefused(error.fields);
      // Gone, or something is wanted by now that was not before: the invitation as it is shows either.
      else if (error instanceof Refusal && (error.status === 404 || error.code === 'profile_incomplete'))
        await refresh();
      else complain(error);
    } finally {
      setBusy(false);
    }
  };
  const accept = (event: Event) => {
    event.preventDefault();
    setRefused([]);
    void answer(async () => {
      if (missing.length > 0) {
        const filled = Object.fromEntries(missing.map((name) => [name, fields[name]?.trim() ?? '']));
        await call<Profile>('PATCH', 'v1/me', filled);
      }
      await call<Membership>('POST', `v1/invitations/${firmId}/acceptance`);
    }, words.invitations.joined(invitation.firm_name));
  };
  const decline = () =>
    void answer(() => call('POST', `v1/invitations/${firmId}/decline`), words.invitations.declined);

  return (
    <>
      <ScreenHead title={words.invitations.card(invitation.firm_name)} back="#/" />
      <form class="card form" onSubmit={accept}>
        <Facts
          facts={[
            fact(words.invitations.asLabel, invitation.invited_as),
            fact(words.invitations.invitedAt, invitation.invited_at, moment),
            fact(words.invitations.endsLabel, invitation.expires_at, moment),
          ]}
        />
        <p>{words.invitations.meaning}</p>
        {missing.length > 0 && <p class="strong">{words.invitations.missing}</p>}
        {missing.map((name) => (
          <ProfileInput
            key={name}
            name={name}
            refused={refused}
            required
            value={fields[name] ?? ''}
            onInput={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
          />
        ))}
        <div class="beside">
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
