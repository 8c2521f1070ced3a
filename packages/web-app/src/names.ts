interface Named {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly company_name?: string | undefined;
}

/** A person's name, or the company's where there is none. */
export function nameOf({ first_name, last_name, company_name }: Named): string {
  const person = [first_name, last_name].filter(Boolean).join(' ');
  return person === '' ? (company_name ?? '') : person;
}

export const titleOf = ({ policyholder }: { readonly policyholder: Named }): string => nameOf(policyholder);

export interface Address {
  readonly street: string;
  readonly street2?: string | undefined;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

export const addressLines = ({ street, street2, city, state, zip }: Address): string[] => [
  street2 === undefined ? street : `${street}, ${street2}`,
  `${city}, ${state} ${zip}`,
];

export const addressText = (address: Address): string => addressLines(address).join(', ');

/** A box at a post office, where no property is. */
export const isPoBox = ({ street }: Pick<Address, 'street'>): boolean =>
  /\b(p\.?\s*o\.?|post office|postal)\s*box\b|\bapartado\b/i.test(street);

export const townOf = ({ city, state }: Pick<Address, 'city' | 'state'>): string => `${city}, ${state}`;
