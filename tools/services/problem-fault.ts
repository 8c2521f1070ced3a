import { ERRORS, problemSchema } from '@svc/contract';

/** Members that a problem has with this code, and with no other. */
const OF_CODES = [
  ['errors', 'validation_failed'],
  ['existing_claim_id', 'duplicate_claim'],
  ['existing_claim_url', 'duplicate_claim'],
  ['work', 'work_changed'],
] as const;

/** How an error response differs from the problem of its code; null if it does not. */
export function problemFault(
  status: number,
  header: (name: string) => string | null | undefined,
  text: string,
): string | null {
  if (header('content-type') !== 'application/problem+json') return `Content-Type ${header('content-type')}`;
  const json: Readonly<Record<string, unknown>> = JSON.parse(text);
  const { work: _, ...members } = json;
  const { success, data: problem } = problemSchema.strict().safeParse(members);
  if (!success) return `not the documented problem: ${text.slice(0, 500)}`;
  const { code, errors } = problem;
  const known = Object.entries(ERRORS).find(([name]) => name === code)?.[1];
  if (known?.status !== status || problem.status !== status) return `${code} with status ${status}`;
  if (problem.request_id !== header('x-request-id')) return 'request_id differs from X-Request-Id';
  if (!problem.type.endsWith(`/docs/errors#${code}`)) return `${code} of type ${problem.type}`;
  const other = OF_CODES.find(([member, of]) => (json[member] !== undefined) !== (code === of));
  if (other !== undefined) return `${other[0]} and ${code} do not match`;
  if (errors?.length === 0) return 'errors is empty';
  const item = errors?.find(({ detail: __, ...places }) => {
    const [place = '', ...more] = Object.keys(places);
    return more.length > 0 || !['pointer', 'parameter', 'header'].includes(place);
  });
  return item === undefined ? null : `an entry of errors is ${JSON.stringify(item)}`;
}
