import type { ReportErrorBody } from '@svc/contract';

const MAX_PLACES = 10;

/** The name of an error and where it occurred. Its message is left out, since it may quote data of a claim. */
export function errorReport(error: unknown, screen: string): ReportErrorBody {
  const { name, stack = '' } = error instanceof Error ? error : { name: typeof error };
  const places = [...stack.matchAll(/([\w-]{1,60}\.js):(\d{1,6}):(\d{1,8})/g)].slice(0, MAX_PLACES);
  return {
    screen,
    error: name.replace(/[^A-Za-z]/g, '').slice(0, 40) || 'Error',
    ...(places.length > 0 && { places: places.map(([place]) => place).join(' ') }),
  };
}
