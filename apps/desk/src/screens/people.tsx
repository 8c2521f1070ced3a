import { Dialog } from '@svc/web-app/components/dialog';
import { Field } from '@svc/web-app/components/field';
import { Button, ScreenHeader } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { call, dateTime, request, session, showError, showToast, texts } from '../app.ts';
import { Select } from '../components/select.tsx';
import type { StaffMember } from '../endpoints.ts';

const ROLES = ['admin', 'dispatcher', 'developer', 'auditor'] as const;
type Role = (typeof ROLES)[number];

/** The people of the firm who may use the desk. */
export function People() {
  const words = texts.value.people;
  const [people, setPeople] = useState<readonly StaffMember[]>([]);
  const [inviting, setInviting] = useState(false);
  const [removed, setRemoved] = useState<StaffMember>();
  const [role, setRole] = useState<Role>('dispatcher');
  const read = () => request(() => call('listStaff')).then(({ data }) => setPeople(data), showError);
  useEffect(() => void read(), []);
  const change = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await request(work);
      showToast(() => texts.value.saved, 'success');
      setInviting(false);
    } catch (error) {
      showError(error);
    }
    setRemoved(undefined);
    await read();
  };
  const invite = (event: Event): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const body = { name: String(data.get('name')).trim(), email: String(data.get('email')).trim(), role };
    void change(() => call('inviteStaff', { body }));
  };
  return (
    <>
      <ScreenHeader title={texts.value.nav.people} />
      <div class="row">
        <Button kind="primary" onClick={() => setInviting(true)}>
          {words.invite}
        </Button>
      </div>
      <ul class="list rows" aria-label={texts.value.nav.people}>
        {people.map((person) => (
          <li key={person.id} class="wide-row">
            <span class="cell name">
              <span class="strong">{person.name}</span>
              <span class="line muted">{person.email}</span>
            </span>
            <span class="cell muted">
              {person.joined_at === null
                ? words.invited(dateTime(person.invited_at))
                : words.joined(dateTime(person.joined_at))}
            </span>
            <span class="row">
              <Select
                label={words.roleOf(person.name)}
                options={ROLES}
                value={ROLES.find((one) => one === person.role) ?? 'auditor'}
                name={(one) => texts.value.roles[one] ?? one}
                choose={(next) =>
                  void change(() =>
                    call('updateStaff', { params: { staff_id: person.id }, body: { role: next } }),
                  )
                }
              />
              {person.id !== session.profile.value?.staff.id && (
                <Button aria-label={words.remove(person.name)} onClick={() => setRemoved(person)}>
                  {words.removeShort}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {inviting && (
        <Dialog title={words.invite} close={() => setInviting(false)}>
          <form class="form" onSubmit={invite}>
            <Field label={words.name} name="name" autocomplete="off" required />
            <Field label={texts.value.claim.email} name="email" type="email" autocomplete="off" required />
            <Select
              label={words.role}
              options={ROLES}
              value={role}
              name={(one) => texts.value.roles[one] ?? one}
              choose={setRole}
            />
            <div class="row">
              <Button kind="primary" type="submit">
                {words.send}
              </Button>
              <Button onClick={() => setInviting(false)}>{texts.value.cancel}</Button>
            </div>
          </form>
        </Dialog>
      )}
      {removed !== undefined && (
        <Dialog title={words.remove(removed.name)} close={() => setRemoved(undefined)}>
          <p>{words.removeLead}</p>
          <div class="row">
            <Button
              kind="danger"
              onClick={() => void change(() => call('removeStaff', { params: { staff_id: removed.id } }))}
            >
              {words.removeShort}
            </Button>
            <Button onClick={() => setRemoved(undefined)}>{texts.value.cancel}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
