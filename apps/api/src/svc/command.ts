import { type Firm, OperatorError, type OperatorReads } from '@svc/application';
import { LIMITS } from '@svc/contract';
import type { FirmId } from '@svc/domain';
import { type Command, Option } from 'commander';
import { parseText, parseUuid } from './arguments.ts';

export interface OutputOptions {
  readonly json?: boolean;
}

const helpOf = (command: Command): string =>
  `(see svc ${command.parent?.parent ? `${command.parent.name()} ` : ''}${command.name()} --help)`;

export function addGroup(parent: Command, spec: string, description: string): Command {
  const command = parent.command(spec).description(description).exitOverride();
  return command.showHelpAfterError(helpOf(command));
}

/** `--json` belongs to each command: an option of the program could not stand after the command's name. */
export const addCommand = (parent: Command, spec: string, description: string): Command =>
  addGroup(parent, spec, description).option('--json', 'print one JSON document');

/** Of an option that is given twice, one would be ignored. */
export function rejectRepeatedOptions(command: Command): void {
  for (const option of command.options) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' was given twice`);
      isGiven = true;
    });
  }
  for (const subcommand of command.commands) rejectRepeatedOptions(subcommand);
}

export const firmOption = (isMandatory = true) =>
  new Option('--firm <id>', "the firm's id").argParser(parseUuid).makeOptionMandatory(isMandatory);

export const svcIdOption = (parse = parseText(LIMITS.svcId)) =>
  new Option('--svc-id <svcid>', "the adjuster's SVCID").argParser(parse).makeOptionMandatory();

export async function findFirm(reads: OperatorReads, id: FirmId): Promise<Firm> {
  const firm = await reads.firm(id);
  if (firm === null) throw new OperatorError(`no firm has the id ${id}`);
  return firm;
}
