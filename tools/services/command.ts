// What the commands of tools have in common.
import { InvalidArgumentError } from 'commander';

/** As Commander takes them. pnpm passes on the `--` of `pnpm SCRIPT -- --option`. */
export const scriptArguments = (): string[] => process.argv.filter((arg, at) => !(arg === '--' && at === 2));

/** The argument of an option. */
export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Must be an integer from ${min} to ${max}.`);
  };

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
