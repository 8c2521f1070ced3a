import type { Tx, UnitOfWork } from '@svc/application';

/** What a planted fault throws. */
export class InjectedFault extends Error {
  override readonly name = 'PlantedFault';
}

/** A way to run units that fails right after the given number of store calls, each of which has then been carried out. */
export function failingAfter(
  uow: UnitOfWork,
  calls: number,
): { readonly uow: UnitOfWork; readonly struck: () => boolean } {
  let struck = false;
  const watched = (tx: Tx): Tx => {
    let left = calls;
    const store = (target: object): object =>
      new Proxy(target, {
        get(object, name) {
          const member: unknown = Reflect.get(object, name);
          if (typeof member !== 'function') return member;
          return async (...args: unknown[]) => {
            const result: unknown = await member.apply(object, args);
            left -= 1;
            if (left > 0) return result;
            struck = true;
            throw new InjectedFault(`after ${String(name)}`);
          };
        },
      });
    return new Proxy(tx, { get: (object, name) => store(Reflect.get(object, name)) });
  };
  return { uow: { run: (work) => uow.run((tx) => work(watched(tx))) }, struck: () => struck };
}

/** The code of the refusal that `work` ends in; throws when it succeeds or fails otherwise. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.name === 'DomainError') return String(error.code);
    throw error;
  }
  throw new Error('nothing was refused');
}
