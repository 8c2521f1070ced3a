import type { Tx, UnitOfWork } from '@svc/application';

/** Thrown by an injected fault. */
export class InjectedFault extends Error {
  override readonly name = 'InjectedFault';
}

/** A unit of work that fails after the given number of store calls have been executed. */
export function failingAfter(
  uow: UnitOfWork,
  calls: number,
): { readonly uow: UnitOfWork; readonly hasFailed: () => boolean } {
  let hasFailed = false;
  const failing = (tx: Tx): Tx => {
    let callsLeft = calls;
    const store = (target: object): object =>
      new Proxy(target, {
        get(object, name) {
          const member: unknown = Reflect.get(object, name);
          if (typeof member !== 'function') return member;
          return async (...args: unknown[]) => {
            callsLeft -= 1;
            if (callsLeft > 0) return member.apply(object, args);
            // A write that commits fails between the two.
            const write = String(name).replace(/AndCommit$/, '');
            await Reflect.get(object, write).apply(object, args);
            hasFailed = true;
            throw new InjectedFault(`after ${write}`);
          };
        },
      });
    return new Proxy(tx, { get: (object, name) => store(Reflect.get(object, name)) });
  };
  return { uow: { run: (work) => uow.run((tx) => work(failing(tx))) }, hasFailed: () => hasFailed };
}
