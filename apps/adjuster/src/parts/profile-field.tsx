import type { LIMITS, ProfileField } from '@svc/contract';
import { texts } from '../state.ts';
import { Field, type FieldProps } from './ui.tsx';

const AUTOCOMPLETE = {
  first_name: 'given-name',
  last_name: 'family-name',
  email: 'email',
} as const satisfies Record<ProfileField, string>;

type Limits = typeof LIMITS;
/** Copies of the contract's limits, held to them by the compiler: of the contract only types are loaded. */
const LONGEST: { [F in ProfileField]: Limits[F extends 'email' ? 'email' : 'personName']['max'] } = {
  first_name: 100,
  last_name: 100,
  email: 255,
};

export const PROFILE_FIELDS = Object.keys(AUTOCOMPLETE) as readonly ProfileField[];

export const isProfileField = (name: string): name is ProfileField => Object.hasOwn(AUTOCOMPLETE, name);

/** A field of the adjuster's own account. */
export function ProfileInput({
  name,
  refused,
  ...held
}: {
  readonly name: ProfileField;
  /** Names of the fields that the service did not take. */
  readonly refused: readonly string[];
} & Pick<FieldProps, 'defaultValue' | 'value' | 'onInput' | 'required'>) {
  const words = texts.value;
  return (
    <Field
      label={words.profile[name]}
      type={name === 'email' ? 'email' : 'text'}
      name={name}
      autocomplete={AUTOCOMPLETE[name]}
      maxLength={LONGEST[name]}
      error={refused.includes(name) ? words.profileRefused[name] : undefined}
      {...held}
    />
  );
}
