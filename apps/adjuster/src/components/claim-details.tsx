import './claim-details.css';
import type { AppClaim } from '@svc/contract';
import { type Fact, FactSection, Facts, fact, Section } from '@svc/web-app/components/facts';
import { nameOf } from '@svc/web-app/names';
import { allTexts } from '../all-texts.ts';
import { dateTime, day, inches, money, percent, timeOfDay } from '../app.ts';
import { AddressLines, PersonBlock, personFacts } from './contact.tsx';

/**
 * All details of a claim, those needed first in the field at the top. `contacts`: with ways to reach the people of the
 * claim, whom an adjuster has no reason to call before accepting it.
 */
export function ClaimDetails({ claim, contacts }: { claim: AppClaim; contacts: boolean }) {
  const words = allTexts.value;
  const { sections, fields } = words.record;
  const { policyholder, loss_location: place } = claim;
  const company = nameOf(policyholder) === policyholder.company_name ? undefined : policyholder.company_name;
  const { agent, mortgagee } = claim;
  const parties = [
    [sections.agent, agent, fact(fields.agency, agent?.agency_number)],
    [sections.mortgagee, mortgagee, fact(fields.loan, mortgagee?.loan_number)],
  ] as const;
  return (
    <div class="details">
      <Section title={sections.policyholder}>
        <p class="strong">{nameOf(policyholder)}</p>
        {company !== undefined && <p>{company}</p>}
        {contacts ? (
          <Facts facts={personFacts(policyholder)} />
        ) : (
          <p class="muted">{words.record.contactAfter}</p>
        )}
      </Section>
      <Section title={fields.property}>
        <p>
          <AddressLines address={place} />
        </p>
        <Facts facts={[fact(fields.county, place.county)]} />
      </Section>
      <FactSection title={sections.loss} facts={lossFacts(claim)} />
      <FactSection title={sections.policy} facts={policyFacts(claim)} />
      <FactSection title={sections.building} facts={buildingFacts(claim)} />
      <FactSection title={sections.flood} facts={floodFacts(claim)} />
      <FactSection title={sections.coverages} facts={coverageFacts(claim)} amounts />
      <FactSection title={sections.estimate} facts={estimateFacts(claim)} amounts />
      <Section title={sections.carrier}>
        <p class="strong">{claim.carrier.name}</p>
        <Facts facts={personFacts(claim.carrier)} />
      </Section>
      {parties.map(
        ([title, person, more]) =>
          person !== undefined && (
            <Section key={title} title={title}>
              <PersonBlock {...{ person, contacts, more: [more] }} />
            </Section>
          ),
      )}
      {claim.additional_contacts !== undefined && claim.additional_contacts.length > 0 && (
        <Section title={sections.contacts}>
          {claim.additional_contacts.map((contact) => (
            <PersonBlock
              key={JSON.stringify(contact)}
              person={contact}
              contacts={contacts}
              more={[fact(fields.role, contact.role)]}
            />
          ))}
        </Section>
      )}
      <FactSection
        title={sections.dates}
        facts={[
          fact(words.record.fields.number, claim.claim_number),
          fact(words.record.file, claim.file_number),
          fact(words.record.offeredAt, claim.offered_at, dateTime),
          fact(fields.reported, claim.reported_date, day),
          fact(fields.contacted, claim.contact_date, day),
          fact(fields.inspection, claim.inspection_date, day),
        ]}
      />
    </div>
  );
}

/** Values unknown to this release are shown unchanged. */
const named = (names: Readonly<Record<string, string>>) => (value: string) => names[value] ?? value;

function lossFacts({ loss }: AppClaim): (Fact | null)[] {
  const { record, cause } = allTexts.value;
  const { fields } = record;
  return [
    fact(fields.date, loss.date, day),
    fact(fields.time, loss.time, timeOfDay),
    fact(fields.cause, loss.cause, named(cause)),
    fact(fields.outside, loss.exterior_water_depth_inches, inches),
    fact(fields.inside, loss.interior_water_depth_inches, inches),
    fact(fields.duration, loss.water_duration_hours, record.hours),
    fact(fields.description, loss.description, (text) => <span class="preformatted">{text}</span>),
    fact(fields.catCode, loss.cat_code),
    fact(fields.fico, loss.fico_number),
  ];
}

function policyFacts({ policy }: AppClaim): (Fact | null)[] {
  const { record, form, program } = allTexts.value;
  const { fields } = record;
  const { effective_date: starts, expiration_date: ends } = policy;
  const term: (Fact | null)[] =
    starts !== undefined && ends !== undefined
      ? [
          [
            fields.term,
            <>
              <span class="unbroken">{day(starts)} –</span> <span class="unbroken">{day(ends)}</span>
            </>,
          ],
        ]
      : [fact(fields.starts, starts, day), fact(fields.ends, ends, day)];
  return [
    fact(fields.policyNumber, policy.number),
    ...term,
    fact(fields.original, policy.original_effective_date, day),
    fact(fields.formType, policy.form_type, named(form)),
    fact(fields.program, policy.program_type, named(program)),
    fact(fields.naic, policy.naic_number),
  ];
}

function buildingFacts({ building }: AppClaim): (Fact | null)[] {
  const { record, occupancy, building: types, construction } = allTexts.value;
  const { fields } = record;
  if (building === undefined) return [null];
  const { first_floor_height_feet: feet, first_floor_height_inches: inch } = building;
  const height = feet === undefined && inch === undefined ? undefined : (feet ?? 0) * 12 + (inch ?? 0);
  return [
    fact(fields.occupancy, building.occupancy_type, named(occupancy)),
    fact(fields.buildingType, building.building_type, named(types)),
    fact(fields.construction, building.construction_type, named(construction)),
    fact(fields.built, building.construction_date, day),
    fact(fields.units, building.number_of_units),
    fact(fields.firstFloor, height, inches),
    fact(fields.openings, building.flood_opening_count),
  ];
}

function floodFacts({ building }: AppClaim): (Fact | null)[] {
  const { record, firmStatus } = allTexts.value;
  const { fields } = record;
  if (building === undefined) return [null];
  return [
    fact(fields.zone, building.flood_zone, zoneInWords),
    fact(fields.firm, building.firm_status, named(firmStatus)),
    fact(fields.firmDate, building.firm_date, day),
    fact(fields.community, building.community_number),
    fact(fields.panel, building.map_panel_number),
  ];
}

function zoneInWords(zone: string): string {
  const { zones } = allTexts.value;
  const words = { A: zones.a, V: zones.v, B: zones.x, C: zones.x, X: zones.x, D: zones.d }[zone.charAt(0)];
  return words === undefined ? zone : `${zone}: ${words}`;
}

function coverageFacts({ coverages }: AppClaim): (Fact | null)[] {
  const { record, settlement } = allTexts.value;
  const { fields } = record;
  if (coverages === undefined) return [null];
  return [
    fact(fields.building, coverages.building_limit, money),
    fact(fields.buildingDeductible, coverages.building_deductible, money),
    fact(fields.contents, coverages.contents_limit, money),
    fact(fields.contentsDeductible, coverages.contents_deductible, money),
    fact(fields.settlement, coverages.building_settlement_basis, named(settlement)),
    fact(fields.specialLimits, coverages.special_limits_cap, money),
    fact(fields.icc, coverages.icc_limit, money),
    fact(fields.buildingReserve, coverages.building_reserve, money),
    fact(fields.contentsReserve, coverages.contents_reserve, money),
    fact(fields.buildingAdvance, coverages.building_advance_payment, money),
    fact(fields.contentsAdvance, coverages.contents_advance_payment, money),
    fact(fields.buildingReplacement, coverages.building_replacement_cost, money),
    fact(fields.buildingCashValue, coverages.building_actual_cash_value, money),
    fact(fields.contentsReplacement, coverages.contents_replacement_cost, money),
    fact(fields.contentsCashValue, coverages.contents_actual_cash_value, money),
  ];
}

function estimateFacts({ estimate }: AppClaim): (Fact | null)[] {
  const { fields } = allTexts.value.record;
  if (estimate === undefined) return [null];
  return [
    fact(fields.buildingTax, estimate.building_tax_rate, percent),
    fact(fields.contentsTax, estimate.contents_tax_rate, percent),
    fact(fields.overhead, estimate.overhead_rate, percent),
    fact(fields.profit, estimate.profit_rate, percent),
    fact(fields.depreciation, estimate.depreciation_rate, percent),
    fact(fields.priceList, estimate.price_list),
  ];
}
