import { type CarrierBookEntry, inPages, OperatorError } from '@svc/application';
import { LIMITS, sendClaimBody } from '@svc/contract';
import {
  type CarrierCorrection,
  type CarrierDetail,
  type CarrierDetails,
  carrierNameKey,
  type FirmId,
} from '@svc/domain';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Services } from '../composition/container.ts';
import { parseText } from './arguments.ts';
import { addCommand, addGroup, findFirm, firmOption, type OutputOptions } from './command.ts';
import { print, printJson, printTable } from './output.ts';
import type { Sessions } from './session.ts';

const { carrier: carrierFields } = sendClaimBody.shape;
const { shape: addressFields } = carrierFields.shape.address.unwrap();
const DETAILS: readonly CarrierDetail[] = ['phone', 'email', 'address'];
const PAGE_ROWS = 500;

const carrierDocument = ({ name, phone, email, address }: CarrierDetails) => ({
  name,
  phone: phone ?? null,
  email: email ?? null,
  address: address ?? null,
});

const fieldsOf = ({ address, ...fields }: ReturnType<typeof carrierDocument>) => ({
  ...fields,
  address: address === null ? null : `${address.street}, ${address.city}, ${address.state} ${address.zip}`,
});

const carriersOf = async (services: Services, firmId: FirmId): Promise<CarrierDetails[]> => {
  await findFirm(services.operatorReads, firmId);
  const carriers: CarrierDetails[] = [];
  const entries = inPages(
    (after: string | null) => services.firmData.carriers(firmId, after, PAGE_ROWS),
    ({ nameKey }: CarrierBookEntry) => nameKey,
  );
  for await (const { carrier } of entries) carriers.push(carrier);
  return carriers;
};

/** The rules of the API for this field of a carrier. */
const parsedBy =
  (field: { safeParse(text: string): { error?: { issues: readonly { message: string }[] } | undefined } }) =>
  (text: string): string => {
    const issue = field.safeParse(text).error?.issues[0];
    if (issue !== undefined) throw new InvalidArgumentError(issue.message);
    return text;
  };

function parseDetails(text: string): CarrierDetail[] {
  const details = text.split(',');
  const chosen = DETAILS.filter((detail) => details.includes(detail));
  if (chosen.length !== details.length)
    throw new InvalidArgumentError(`Allowed: ${DETAILS.join(', ')}, separated by commas.`);
  return chosen;
}

interface CarrierOptions extends OutputOptions {
  readonly firm: FirmId;
  readonly name: string;
}
interface CorrectionOptions extends CarrierOptions {
  readonly phone?: string;
  readonly email?: string;
  readonly street?: string;
  readonly city?: string;
  readonly state?: string;
  readonly zip?: string;
  readonly clear?: readonly CarrierDetail[];
}

/** @param fail reports wrong usage. */
function correctionFrom(options: CorrectionOptions, fail: (message: string) => never): CarrierCorrection {
  const { phone, email, street, city, state, zip, clear = [] } = options;
  const parts = [street, city, state, zip].filter((part) => part !== undefined);
  const isAddress = street !== undefined && city !== undefined && state !== undefined && zip !== undefined;
  if (parts.length > 0 && !isAddress)
    fail("error: an address needs '--street', '--city', '--state' and '--zip'");
  const given: CarrierCorrection = {
    ...(phone !== undefined && { phone }),
    ...(email !== undefined && { email }),
    ...(isAddress && { address: { street, city, state, zip } }),
  };
  const both = clear.find((detail) => detail in given);
  if (both !== undefined) fail(`error: '--clear' names ${both}, which is set`);
  const correction = { ...given, ...Object.fromEntries(clear.map((detail) => [detail, null])) };
  if (Object.keys(correction).length === 0)
    fail("error: nothing to set: '--phone', '--email', an address or '--clear' is needed");
  return correction;
}

export function addCarrierCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'carrier', "a firm's carrier book, which fills in the forms of its claims");
  const addNamed = (name: string, description: string): Command =>
    addCommand(group, name, description)
      .addOption(firmOption())
      .addOption(
        new Option('--name <name>', "the carrier's name; case and extra spaces do not matter")
          .argParser(parseText(LIMITS.companyName))
          .makeOptionMandatory(),
      );

  addCommand(group, 'list', 'list the carriers of the book')
    .addOption(firmOption())
    .action(async ({ firm, json }: CarrierOptions) => {
      const carriers = await withService((services) => carriersOf(services, firm));
      const documents = carriers.map(carrierDocument);
      if (json) return printJson({ carriers: documents });
      printTable(documents.map(fieldsOf), 'The carrier book is empty.');
    });

  addNamed('show', 'show a carrier of the book').action(async ({ firm, name, json }: CarrierOptions) => {
    const carriers = await withService((services) => carriersOf(services, firm));
    const found = carriers.find((carrier) => carrierNameKey(carrier.name) === carrierNameKey(name));
    if (found === undefined)
      throw new OperatorError(`the carrier book of the firm ${firm} has no ${JSON.stringify(name)}`);
    const document = carrierDocument(found);
    print({ json }, { carrier: document }, fieldsOf(document));
  });

  const set = addNamed('set', 'replace details of a carrier; claims keep what they were sent with')
    .addOption(new Option('--phone <phone>').argParser(parsedBy(carrierFields.shape.phone.unwrap())))
    .addOption(new Option('--email <email>').argParser(parsedBy(carrierFields.shape.email.unwrap())))
    .addOption(new Option('--street <street>').argParser(parsedBy(addressFields.street)))
    .addOption(new Option('--city <city>').argParser(parsedBy(addressFields.city)))
    .addOption(new Option('--state <state>', 'two-letter code').argParser(parsedBy(addressFields.state)))
    .addOption(new Option('--zip <zip>').argParser(parsedBy(addressFields.zip)))
    .addOption(
      new Option('--clear <details>', `remove details: ${DETAILS.join(', ')}, separated by commas`).argParser(
        parseDetails,
      ),
    );
  set.action(async (options: CorrectionOptions) => {
    const correction = correctionFrom(options, (message) => set.error(message));
    const { firm, name } = options;
    const corrected = await withService((use) => use.setCarrier(firm, name, correction));
    const document = carrierDocument(corrected);
    print(options, { carrier: document }, fieldsOf(document));
  });

  addNamed('remove', 'remove a carrier; the next claim that names it starts a new entry').action(
    async ({ firm, name, json }: CarrierOptions) => {
      const removed = await withService((use) => use.removeCarrier(firm, name));
      print({ json }, { removed: { name: removed.name } }, 'Removed.');
    },
  );
}
