import { type Address, addressLines, addressText, nameOf } from '../format.ts';
import { mapLink } from '../model/map-link.ts';
import { smsLink, telLink } from '../model/phone.ts';
import { texts } from '../state/language.ts';
import { type Fact, Facts, fact } from './facts.tsx';
import { Icon, type IconName } from './ui.tsx';

interface Person {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly company_name?: string | undefined;
  readonly phone?: string | undefined;
  readonly alternate_phone?: string | undefined;
  readonly email?: string | undefined;
  readonly address?: Address | undefined;
  readonly mailing_address?: Address | undefined;
}

const mailLink = (email: string): string => `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`;

const ActionLink = (props: {
  readonly icon: IconName;
  readonly href: string;
  readonly label: string;
  readonly about: string;
}) => (
  <a class="contact-link" href={props.href} aria-label={`${props.label}: ${props.about}`} rel="noreferrer">
    <Icon name={props.icon} />
    <span>{props.label}</span>
  </a>
);

/** Links to call, text, email, or open a map. */
export function ContactLinks(props: {
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly place?: Address | undefined;
}) {
  const { claim } = texts.value;
  const { phone, email, place } = props;
  return (
    <div class="contact-links">
      {phone !== undefined && (
        <ActionLink icon="call" href={telLink(phone)} label={claim.call} about={phone} />
      )}
      {phone !== undefined && (
        <ActionLink icon="text" href={smsLink(phone)} label={claim.text} about={phone} />
      )}
      {email !== undefined && (
        <ActionLink icon="mail" href={mailLink(email)} label={claim.mail} about={email} />
      )}
      {place !== undefined && (
        <ActionLink icon="map" href={mapLink(addressText(place))} label={claim.map} about={place.street} />
      )}
    </div>
  );
}

export const AddressLines = ({ address }: { address: Address }) => (
  <>
    {addressLines(address).map((line) => (
      <span class="line" key={line}>
        {line}
      </span>
    ))}
  </>
);

const Phone = ({ phone }: { phone: string }) => <a href={telLink(phone)}>{phone}</a>;

export const personFacts = (person: Person): (Fact | null)[] => {
  const { fields } = texts.value.claim;
  return [
    fact(fields.phone, person.phone, (phone) => <Phone phone={phone} />),
    fact(fields.otherPhone, person.alternate_phone, (phone) => <Phone phone={phone} />),
    fact(fields.email, person.email, (email) => <a href={mailLink(email)}>{email}</a>),
    fact(fields.address, person.address, (address) => <AddressLines address={address} />),
    fact(fields.mailing, person.mailing_address, (address) => <AddressLines address={address} />),
  ];
};

/** A person other than the policyholder. `contacts`: with phone, email and address. */
export function PersonBlock(props: {
  readonly person: Person;
  readonly contacts: boolean;
  readonly more?: readonly (Fact | null)[];
}) {
  const { person, contacts, more = [] } = props;
  const name = nameOf(person);
  const company =
    person.company_name !== undefined && person.company_name !== name ? person.company_name : undefined;
  return (
    <div class="person">
      <p class="strong">{name}</p>
      {company !== undefined && <p>{company}</p>}
      <Facts facts={contacts ? [...more, ...personFacts(person)] : more} />
    </div>
  );
}
