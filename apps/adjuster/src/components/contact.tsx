import './contact.css';
import { type Fact, Facts, fact } from '@svc/web-app/components/facts';
import { Icon, type IconName } from '@svc/web-app/components/ui';
import { type Address, addressLines, addressText, nameOf } from '@svc/web-app/names';
import { smsLink, telLink } from '@svc/web-app/phone';
import { allTexts } from '../all-texts.ts';
import { routeLink } from '../model/route-link.ts';

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
  readonly onClick?: () => void;
}) => (
  <a
    class="contact-link"
    href={props.href}
    aria-label={`${props.label}: ${props.about}`}
    rel="noreferrer"
    {...(props.onClick !== undefined && { onClick: props.onClick })}
  >
    <Icon name={props.icon} />
    <span>{props.label}</span>
  </a>
);

/** Links to call, text, drive to the property, or email. */
export function ContactLinks(props: {
  readonly phone: string | undefined;
  readonly email: string | undefined;
  readonly place: Address;
  readonly onCall: () => void;
  readonly onNote: () => void;
}) {
  const { record, work } = allTexts.value;
  const { phone, email, place } = props;
  const [call, text] = phone === undefined ? [] : [telLink(phone), smsLink(phone)];
  return (
    <div class="contact-links">
      {phone !== undefined && call !== undefined && (
        <ActionLink icon="call" href={call} label={record.call} about={phone} onClick={props.onCall} />
      )}
      {phone !== undefined && text !== undefined && (
        <ActionLink icon="text" href={text} label={record.text} about={phone} />
      )}
      <ActionLink
        icon="map"
        href={routeLink([addressText(place)])}
        label={record.directions}
        about={place.street}
      />
      {call === undefined && email !== undefined && (
        <ActionLink icon="mail" href={mailLink(email)} label={record.mail} about={email} />
      )}
      <button type="button" class="contact-link" onClick={props.onNote}>
        <Icon name="claims" />
        <span>{work.note}</span>
      </button>
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

function Phone({ phone }: { phone: string }) {
  const href = telLink(phone);
  return <span>{href === undefined ? phone : <a href={href}>{phone}</a>}</span>;
}

export const personFacts = (person: Person): (Fact | null)[] => {
  const { fields } = allTexts.value.record;
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
  readonly more: readonly (Fact | null)[];
}) {
  const { person, contacts, more } = props;
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
