// What the commands of tools have in common.
import { InvalidArgumentError } from 'commander';

/** As Commander takes them. pnpm passes on the `--` of `pnpm SCRIPT -- --option`. */
export const scriptArguments = (): string[] => process.argv.filter((arg, at) => !(arg === '--' && at === 2));

/** The argument of an option. */
export const wholeNumber =
  (min: number, max?: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= min && value <= (max ?? value)) return value;
    const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`Must be an integer ${range}.`);
  };

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
