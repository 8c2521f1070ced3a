import { type Stores, Unavailable } from '@svc/application';

/** Thrown by an injected fault: one after which nothing runs again, as when the database is not reachable. */
export class InjectedFault extends Unavailable {
  constructor(message: string) {
    super(message, 'database_unreachable');
  }
}

export interface FailingStores {
  readonly stores: Pick<Stores, 'unitOfWork' | 'claimWrites'>;
  hasFailed(): boolean;
}

/** A unit of work that fails after the given number of store calls have been executed. */
export function failingAfter<Tx extends object>(
  uow: { run<T>(work: (tx: Tx) => Promise<T>): Promise<T> },
  calls: number,
): { readonly uow: typeof uow; readonly hasFailed: () => boolean } {
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
            const result: unknown = await member.apply(object, args);
            if (callsLeft > 0) return result;
            hasFailed = true;
            throw new InjectedFault(`after ${String(name)}`);
          };
        },
      });
    return new Proxy(tx, { get: (object, name) => store(Reflect.get(object, name) as object) });
  };
  return { uow: { run: (work) => uow.run((tx) => work(failing(tx))) }, hasFailed: () => hasFailed };
}
