import { STAFF_ROLES, type StaffRole } from '@svc/contract';
import { Field } from '@svc/web-app/components/field';
import { ConfirmButton, FormDialog, type FormText } from '@svc/web-app/components/form-dialog';
import { Select } from '@svc/web-app/components/select';
import { Button, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { call, can, dateTime, perform, request, session, showError, texts } from '../app.ts';
import type { StaffMember } from '../endpoints.ts';
import { RevokeKeysOf, revokeOf } from './keys.tsx';

const ROLES = { options: STAFF_ROLES, name: (one: StaffRole) => texts.value.roles[one] ?? one };

/** The people of the firm who may use the desk. */
export function People() {
  const words = texts.value.people;
  const [people, setPeople] = useState<readonly StaffMember[]>([]);
  const [inviting, setInviting] = useState(false);
  /** Who was just removed, and has made keys that still work. */
  const [left, setLeft] = useState<{ readonly id: string; readonly name: string; readonly keys: number }>();
  const [role, setRole] = useState<StaffRole>('dispatcher');
  const read = () => request(() => call('listStaff')).then(({ data }) => setPeople(data), showError);
  useEffect(() => void read(), []);
  const change = async (work: () => Promise<unknown>): Promise<void> => {
    if (!(await perform(work))) return void read();
    setInviting(false);
    await read();
  };
  const remove = async ({ id, name, working_keys: keys }: StaffMember): Promise<void> => {
    const isDone = await perform(() => call('removeStaff', { params: { staff_id: id } }));
    if (isDone && keys > 0) setLeft({ id, name, keys });
    await read();
  };
  const invite = (data: FormText): void =>
    void change(() => call('inviteStaff', { body: { name: data('name'), email: data('email'), role } }));
  return (
    <>
      <ScreenHeader title={texts.value.nav.people} />
      <div class="row">
        <Button kind="primary" onClick={() => setInviting(true)}>
          {words.invite}
        </Button>
      </div>
      {left !== undefined && (
        <div role="alert">
          <Note kind="warning">
            <p>{texts.value.keys.attention.maker_removed(left.name, left.keys)}</p>
            <div class="row">
              <RevokeKeysOf
                name={left.name}
                run={async () => {
                  if (await revokeOf(left.id)) setLeft(undefined);
                }}
              />
              <a class="button" href="#/keys">
                {texts.value.nav.keys}
              </a>
            </div>
          </Note>
        </div>
      )}
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
                {...ROLES}
                label={words.roleOf(person.name)}
                value={STAFF_ROLES.find((one) => one === person.role) ?? 'auditor'}
                choose={(next) =>
                  change(() => call('updateStaff', { params: { staff_id: person.id }, body: { role: next } }))
                }
              />
              {person.id !== session.profile.value?.staff.id && (
                <ConfirmButton
                  {...{ act: texts.value.remove, title: words.remove(person.name) }}
                  run={() => remove(person)}
                >
                  <p>{words.removeLead}</p>
                  {person.working_keys > 0 && can('keys:read') && (
                    <p>{words.keysStay(person.working_keys)}</p>
                  )}
                </ConfirmButton>
              )}
            </span>
          </li>
        ))}
      </ul>
      {inviting && (
        <FormDialog title={words.invite} close={() => setInviting(false)} submit={invite}>
          <Field label={words.name} name="name" required />
          <Field label={texts.value.claimFields.email} name="email" type="email" required />
          <Select {...ROLES} label={words.role} value={role} choose={setRole} />
        </FormDialog>
      )}
    </>
  );
}
