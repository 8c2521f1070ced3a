import { sql } from './executor.ts';

/** PostgreSQL settings of a session, by name. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Every frequent statement has an index, and a plan is kept as long as its connection. A plan made while a table was
 * empty would scan the whole table until statistics are gathered, so sequential scans are off. That makes a plan that
 * cannot avoid one look so expensive that PostgreSQL compiles it each time (328 ms instead of 0.07 ms), so JIT is off.
 */
export const PLAN_SETTINGS: SessionSettings = { enable_seqscan: 'off', jit: 'off' };

/**
 * Settings of connections that change what clients see. The server reports in a warning that a commit is not confirmed
 * (`reportsUnconfirmedCommit`), which `client_min_messages` of a role or a database could hide.
 */
export const SERVICE_SETTINGS: SessionSettings = { ...PLAN_SETTINGS, client_min_messages: 'warning' };

/**
 * A prepared statement keeps one plan for all values. By default PostgreSQL plans statements with short arrays again on
 * every execution: a claim sent or accepted alone then takes it 2 to 3 times the processor time here.
 */
export const ONE_PLAN: SessionSettings = { plan_cache_mode: 'force_generic_plan' };

/**
 * For the statements after it in its transaction, which find anything from no row to most of a table: those that delete
 * old rows, for example.
 */
export const PLAN_FOR_VALUES = sql('plan_for_values', 'SET LOCAL plan_cache_mode = force_custom_plan');

/** The URL with these settings as startup options, after those that the URL already has. */
export function urlWithSettings(url: string, settings: SessionSettings): string {
  if (Object.keys(settings).length === 0) return url;
  const changed = new URL(url);
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const existing = changed.searchParams.get('options');
  changed.searchParams.set('options', [...(existing === null ? [] : [existing]), ...options].join(' '));
  // searchParams encodes a space as "+", which connection strings do not decode.
  changed.search = changed.search.replaceAll('+', '%20');
  return changed.href;
}

/** Opens a transaction with these settings: the only kind of settings that a pooler in transaction mode allows. */
export const beginWithSettings = (settings: SessionSettings): string =>
  ['BEGIN', ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join('; ');
