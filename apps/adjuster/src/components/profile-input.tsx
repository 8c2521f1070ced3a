import type { LIMITS, ProfileField } from '@svc/contract';
import { Field, type FieldProps } from '@svc/web-app/components/field';
import { allTexts } from '../all-texts.ts';
import { session, typed } from '../app.ts';

const AUTOCOMPLETE = {
  first_name: 'given-name',
  last_name: 'family-name',
  email: 'email',
} as const satisfies Record<ProfileField, string>;

type Limits = typeof LIMITS;
/** The contract's limits, checked by the compiler; only its types are imported, to keep the bundle small. */
const MAX_LENGTH: { [F in ProfileField]: Limits[F extends 'email' ? 'email' : 'personName']['max'] } = {
  first_name: 100,
  last_name: 100,
  email: 255,
};

export const PROFILE_FIELDS = Object.keys(AUTOCOMPLETE) as readonly ProfileField[];

export const isProfileField = (name: string): name is ProfileField => Object.hasOwn(AUTOCOMPLETE, name);

const keyOf = (name: ProfileField): string => `profile.${name}`;

/** What is typed in a field of the profile, else what is saved. */
export const typedProfile = (name: ProfileField): string =>
  typed.fields.texts.value[keyOf(name)] ?? session.profile.value?.[name] ?? '';
export const isProfileTyped = (): boolean =>
  PROFILE_FIELDS.some((name) => typed.fields.texts.value[keyOf(name)] !== undefined);
export const forgetProfile = (): void => typed.fields.keep(PROFILE_FIELDS.map(keyOf), undefined);

/** A field of the adjuster's profile, kept as it is typed. */
export function ProfileInput({
  name,
  rejectedFields,
  ...fieldProps
}: {
  readonly name: ProfileField;
  /** Names of the fields that the service rejected. */
  readonly rejectedFields: readonly string[];
} & Pick<FieldProps, 'required'>) {
  const words = allTexts.value;
  return (
    <Field
      label={words.profile[name]}
      type={name === 'email' ? 'email' : 'text'}
      name={name}
      autocomplete={AUTOCOMPLETE[name]}
      maxLength={MAX_LENGTH[name]}
      error={rejectedFields.includes(name) ? words.profileRefused[name] : undefined}
      value={typedProfile(name)}
      onInput={(event) => typed.fields.keep([keyOf(name)], event.currentTarget.value)}
      {...fieldProps}
    />
  );
}
