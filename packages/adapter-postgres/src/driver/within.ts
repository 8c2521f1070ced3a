import { Unavailable } from '@svc/application';

/** @throws Unavailable after this time. The work itself continues, and its result is ignored. */
export async function within<T>(timeoutMs: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unavailable(message, 'database_unreachable')), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
