import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { openDB } from 'idb';
import {
  connectDatabase,
  DatabaseBlocked,
  inTransaction,
  openAppDatabase,
  resultOf,
} from '../src/data/database.ts';
import { withFallback } from '../src/data/fallback.ts';
import { createStorage } from '../src/data/storage.ts';
import { isClaim, isStoredShape } from '../src/model/shapes.ts';
import { offer, ownClaim } from './claims.ts';

const storage = createStorage(connectDatabase('claims', 1).get);
let databases = 0;
let name = '';
beforeEach(() => {
  databases += 1;
  name = `claims-${databases}`;
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('the database of the device', () => {
  const stores = {
    upgrade: (database: { createObjectStore(name: string): unknown; objectStoreNames: DOMStringList }) => {
      if (!database.objectStoreNames.contains('kept')) database.createObjectStore('kept');
    },
  };

  test('opens for a release that an operator went back to, with what the later release has stored', async () => {
    const later = await openDB(name, 7, stores);
    await later.put('kept', 'value', 'revision');
    later.close();
    const earlier = connectDatabase(name, 1);
    expect(await createStorage(earlier.get).get('revision')).toBe('value');
  });

  test('lets another tab with a later release upgrade it, and is opened again after that', async () => {
    const tab = connectDatabase(name, 1);
    const heard: string[] = [];
    tab.onLost.push(() => heard.push('lost'));
    await createStorage(tab.get).put('revision', 'before');
    const upgraded = await openDB(name, 2, stores);
    expect(upgraded.version).toBe(2);
    expect(await createStorage(tab.get).get('revision')).toBe('before');
    expect(heard).toEqual([]);
    upgraded.close();
  });

  test('is opened at the next use after it could not be, and a transaction that fails changes nothing and says why', async () => {
    const tab = connectDatabase(name, 1);
    jest.spyOn(indexedDB, 'open').mockImplementationOnce(() => {
      throw new Error('Busy.');
    });
    await expect(tab.get()).rejects.toThrow('Busy.');
    const database = await tab.get();
    await createStorage(tab.get).put('revision', 'before');
    const write = (work: (kept: IDBObjectStore) => Promise<unknown>) =>
      inTransaction(database, 'readwrite', (kept) => {
        kept.put('after', 'revision');
        return work(kept);
      });
    await expect(write((kept) => resultOf(kept.add('', 'revision')))).rejects.toThrow(
      expect.objectContaining({ name: 'ConstraintError' }),
    );
    await expect(write(() => Promise.reject(new Error('Stopped.')))).rejects.toThrow('Stopped.');
    expect(await createStorage(tab.get).get('revision')).toBe('before');
  });

  test('does not keep the app waiting while another tab blocks an upgrade, and opens once it is closed', async () => {
    const old = await openDB(name, 1, stores);
    // By its event, before the time is over.
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const tab = connectDatabase(name, 2);
    const attempts = [tab.get(), tab.get()].map((attempt) => attempt.catch((error: unknown) => error));
    expect(await Promise.all(attempts)).toEqual([expect.any(DatabaseBlocked), expect.any(DatabaseBlocked)]);
    await expect(tab.get()).rejects.toBeInstanceOf(DatabaseBlocked);
    jest.useRealTimers();
    old.close();
    const version = await eventually(() =>
      tab.get().then(
        (database) => database.version,
        () => undefined,
      ),
    );
    expect(version).toBe(2);
  });

  test('is in memory where the browser provides none, and not where it is blocked or was open before', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const opening = jest.spyOn(indexedDB, 'open');
    const none = () => {
      throw new Error('None.');
    };
    let prepared = 0;
    const open = () =>
      openAppDatabase(async () => {
        prepared += 1;
        opening.mockRestore();
      });
    opening.mockImplementation(none);
    const memory = open();
    const [one, other] = await Promise.all([memory.get(), memory.get()]);
    expect([one === other, prepared]).toEqual([true, 1]);
    const before = open();
    const heard: string[] = [];
    before.onLost(() => heard.push('lost'));
    (await before.get()).onclose?.(new Event('close'));
    expect(heard).toEqual(['lost']);
    (await before.get()).close();
    const again = jest.spyOn(indexedDB, 'open').mockImplementation(none);
    await expect(before.get()).rejects.toThrow('None.');
    // Behind the upgrade of yet another tab there is no event.
    again.mockReturnValue(Object(new EventTarget()));
    const results: unknown[] = [];
    void open()
      .get()
      .catch((error: unknown) => results.push(error));
    await jest.advanceTimersByTimeAsync(2999);
    expect(results).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect([results, prepared]).toEqual([[expect.any(DatabaseBlocked)], 1]);
  });

  test.each([
    ['closed it without an event', (database: IDBDatabase) => database.close(), 0],
    ['closed it', (database: IDBDatabase) => database.onclose?.(new Event('close')), 1],
    ['removed it', () => indexedDB.deleteDatabase(name), 1],
  ])(
    'is opened again when the browser has %s, and the app hears of what was lost',
    async (_, end, losses) => {
      const tab = connectDatabase(name, 1);
      let heard = 0;
      tab.onLost.push(() => {
        heard += 1;
      });
      end(await tab.get());
      await eventually(() => heard >= losses);
      await Promise.all([tab.get(), tab.get()]);
      expect(heard).toBe(1);
      await createStorage(tab.get).put('revision', 'stored');
      expect(await createStorage(tab.get).get('revision')).toBe('stored');
    },
  );
});

test('what could not be stored is stored with the next change, once, also beside it', async () => {
  let [isFull, value, beside] = [true, '', ''];
  const update = async (change: (now: string) => string, changeBeside: (now: string) => string) => {
    if (isFull) throw new Error('No space.');
    [value, beside] = [change(value), changeBeside(beside)];
  };
  const kept = withFallback<string, string>({ read: async () => value, update }, '');
  for (const text of ['a', 'b', 'c', 'd']) {
    isFull = text < 'c';
    const add = (now: string) => now + text;
    expect(await kept.update(add, add)).toBe('abcd'.slice(0, 'abcd'.indexOf(text)));
  }
  expect([value, beside, await kept.read(), kept.isStored()]).toEqual(['abcd', 'abcd', 'abcd', true]);
});

test('each write says whether the device stores anything now', async () => {
  const said: boolean[] = [];
  let get = connectDatabase(name, 1).get;
  const note = (isStored: boolean) => void said.push(isStored);
  const fresh = createStorage(() => get(), note);
  await fresh.put('readAt', 1);
  get = () => Promise.reject(new Error('No space.'));
  await expect(fresh.put('readAt', 2)).rejects.toThrow('No space.');
  expect(said).toEqual([true, false]);
});

test('a database that is closed while it is used fails the caller, and leaves no rejection that nobody catches', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const connection = connectDatabase(name, 1);
  const database = await connection.get();
  const begin = database.transaction.bind(database);
  database.transaction = (...input) => {
    const transaction = begin(...input);
    queueMicrotask(() => transaction.abort());
    return transaction;
  };
  const closing = createStorage(async () => database);
  const uses = [
    () => closing.get('offers'),
    () => closing.getAll('offers', 'readAt'),
    () => closing.update('refused', () => ['a']),
    () => closing.put('readAt', 1),
    () => closing.remove('readAt'),
    () => closing.clear(),
    () => closing.clearLists(),
    () => closing.setTypedAside('SVC-1'),
    () => closing.bringTypedBack('SVC-1'),
    () => closing.adoptFormat(),
    () => closing.deviceId(),
  ];
  const results = await Promise.allSettled(uses.map((use) => use()));
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(results.map(({ status }) => status)).toEqual(uses.map(() => 'rejected'));
  expect(unhandled).toEqual([]);
});

describe('a stored value', () => {
  const put = async (key: string, value: unknown): Promise<void> => {
    const opened = await openDB('claims');
    await opened.put('kept', value, key);
    opened.close();
  };

  test('of another shape counts as missing, and the others are read', async () => {
    await storage.put('revision', 'r1');
    await put('offers', [{ ...offer(), policyholder: 'Marisol Delgado' }]);
    await put('outbox', [{ id: 'a', key: 'claim-1', kind: 'answer', owner: 'SVC-1', offeredAt: 'then' }]);
    expect(await storage.getAll('revision', 'offers', 'outbox')).toEqual(['r1', undefined, undefined]);
    expect(await storage.get('offers')).toBeUndefined();
    await storage.put('offers', [offer()]);
    expect(await storage.get('offers')).toHaveLength(1);
  });

  test('of another shape cannot be shown, whichever it is', () => {
    const wrong: Record<string, unknown> = {
      profile: { svc_id: 'SVC-1', firms: [{ firm_id: 'f' }] },
      invitations: [{ firm_id: 'f', firm_name: 'F', expires_at: '', missing_profile_fields: [1] }],
      ...{
        offers: [{}],
        accepted: { 0: offer() },
        closed: [{}],
        readAt: '1',
        revision: 1,
        changesSince: 1,
        refused: [1],
        rejections: { a: {} },
      },
      ...{ outbox: [{ id: 'a', key: 'b', kind: 'work' }], outcomes: [{ claimId: 'a', result: 'accepted' }] },
      ...{ history: [{ claimId: 'a', claimNumber: 'b' }], contactNotes: { a: 1 }, fields: ['a'], stops: [1] },
      ...{ arrangement: { grouping: 'none', order: 'age' }, deadlines: [1], origin: { latitude: 1 } },
    };
    expect(Object.keys(wrong).filter((key) => isStoredShape(key, wrong[key]))).toEqual([]);
    expect(Object.keys(wrong).filter((key) => !isStoredShape(key, undefined))).toEqual([]);
  });

  test('that lacks any part the screens rely on cannot be shown', () => {
    const lacking = (value: object): object[] =>
      Object.entries(value).flatMap(([key, part]) => {
        const less = typeof part === 'object' && part !== null ? lacking(part) : [];
        const changed = less.map((one) =>
          Array.isArray(value) ? value.with(Number(key), one) : { ...value, [key]: one },
        );
        return Array.isArray(value) ? changed : [{ ...value, [key]: undefined }, ...changed];
      });
    const text = (...names: string[]) => Object.fromEntries(names.map((one) => [one, 'text']));
    const claim = {
      ...{ ...text('id', 'claim_number', 'offered_at', 'closed_at'), firm: text('id', 'name') },
      ...{ assignment: text('status'), loss: text('date'), policyholder: {}, policy: {}, carrier: {} },
      ...{ loss_location: text('street', 'city', 'state', 'zip'), work: {} },
    };
    const whole: Record<string, object> = {
      ...{ profile: { svc_id: '', firms: [text('firm_id', 'firm_name')] }, offers: [claim] },
      invitations: [{ ...text('firm_id', 'firm_name', 'expires_at'), missing_profile_fields: [] }],
      outbox: [{ ...text('id', 'key', 'owner'), kind: 'answer', offer: {} }],
      outcomes: [text('claimId', 'result', 'title')],
      history: [text('claimId', 'claimNumber', 'offeredAt')],
      ...{ arrangement: text('grouping', 'order', 'search'), origin: { latitude: 1, longitude: 2 } },
    };
    const names = Object.keys(whole);
    expect(names.filter((key) => !isStoredShape(key, whole[key]))).toEqual([]);
    expect(names.map((key) => lacking(whole[key] ?? {}).filter((one) => isStoredShape(key, one)))).toEqual(
      names.map(() => []),
    );
  });

  test('is removed with the lists, at a sign-out, or stays on the device, each by its name', async () => {
    const fresh = createStorage(connectDatabase(name, 1).get);
    const lists = ['offers', 'accepted', 'closed', 'invitations', 'readAt', 'revision', 'changesSince'];
    const device = ['format', 'signingIn', 'language', 'deviceId', 'devicePreferences'];
    device.push('notificationsOf', 'outbox', 'typed by SVC-2');
    const adjuster = 'profile refused outcomes history rejections contactNotes fields arrangement'.split(' ');
    adjuster.push(...'origin stops deadlines notificationsAsked originAsked draft:a'.split(' '));
    await fresh.put('readAt', Date.now() - 15 * 86_400_000);
    const opened = await openDB(name);
    const left = async () => (await opened.getAllKeys('kept')).map(String).sort();
    const fill = async () => {
      for (const key of [...lists.filter((one) => one !== 'readAt'), ...device, ...adjuster])
        await opened.put('kept', 'value', key);
    };
    await fill();
    await fresh.clearExpiredLists();
    expect(await left()).toEqual([...device, ...adjuster].sort());
    await fill();
    await fresh.put('readAt', Date.now());
    await fresh.clearExpiredLists();
    expect(await left()).toEqual([...lists, ...device, ...adjuster].sort());
    await fresh.clear();
    expect(await left()).toEqual(device.sort());
    opened.close();
  });

  test('of an outcome is the last one of its claim, and seeing an earlier one takes no name from it', async () => {
    const fresh = createStorage(connectDatabase(name, 1).get);
    const outcome = (at: number) =>
      ({ claimId: 'a', at, answer: 'reject', result: 'rejected', title: 'Ana', detail: 'FL-1' }) as const;
    for (const at of [1, 2]) await fresh.outcomes.add(outcome(at));
    for (const [at, title] of [
      [1, 'Ana'],
      [2, 'FL-1'],
    ] as const) {
      await fresh.outcomes.see([outcome(at)]);
      expect(await fresh.outcomes.read()).toMatchObject([{ at: 2, title }]);
    }
    // Of a claim that the adjuster may still see the name stays.
    const known = { ...outcome(3), result: 'alreadyAccepted' } as const;
    await fresh.outcomes.add(known);
    await fresh.outcomes.see([known]);
    expect(await fresh.outcomes.read()).toEqual([{ ...known, isSeen: true }]);
    expect(await fresh.deviceId()).toBe(await fresh.deviceId());
  });

  test('of an outcome or a refusal is kept until 200 or 100 later ones', async () => {
    const fresh = createStorage(connectDatabase(name, 1).get);
    const outcome = { answer: 'accept', result: 'accepted', title: '' } as const;
    for (let at = 0; at <= 200; at += 1) await fresh.outcomes.add({ ...outcome, claimId: `${at}`, at });
    await fresh.refused.add(Array.from({ length: 101 }, (_, n) => `${n}`));
    expect((await fresh.outcomes.read()).map(({ at }) => at)).toEqual([...Array(201).keys()].slice(1));
    expect([await fresh.refused.has(['0']), await fresh.refused.has(['1'])]).toEqual([false, true]);
  });

  test('in the format of another release is removed if the service can send it again; what is typed stays', async () => {
    await storage.adoptFormat();
    await storage.put('offers', [offer()]);
    await storage.put('draft:claim-1', { notes: 'Typed' });
    await storage.adoptFormat();
    expect(await storage.get('offers')).toHaveLength(1);
    await put('format', 2);
    await storage.adoptFormat();
    expect(await storage.getAll('offers', 'draft:claim-1')).toEqual([undefined, { notes: 'Typed' }]);
  });
});

describe('a claim', () => {
  test('of the contract can be shown, with every optional part and with none', () => {
    const whole = ownClaim('2026-08-29T14:00:00.000Z', {
      work: { version: 'v2', contacts: [{ id: 'a', at: '2026-08-29T14:00:00.000Z', result: 'reached' }] },
    });
    const { building, coverages, estimate, agent, mortgagee, additional_contacts, ...required } = offer();
    expect([whole, required].map(isClaim)).toEqual([true, true]);
    expect(isStoredShape('offers', [whole])).toBe(true);
  });

  test.each([
    ['loss_location', null],
    ['policyholder', undefined],
    ['loss', {}],
    ['firm', 'Gulf Adjusting Partners'],
    ['assignment', null],
    ['work', { contacts: {} }],
    ['building', 'house'],
    ['additional_contacts', [null]],
    ['closed_at', 0],
    ['id', 7],
    ['claim_number', null],
    ['offered_at', undefined],
    ...['policy', 'carrier', 'coverages', 'estimate', 'agent', 'mortgagee'].map(
      (part) => [part, []] as const,
    ),
    ['work', { contacts: [{ id: 'a', at: 'b' }] }],
  ])('whose %s is %j cannot be shown', (field, value) => {
    expect(isClaim({ ...offer(), [field]: value })).toBe(false);
  });
});

test('what an adjuster has typed is back after another one has used the device, and the other one does not see it', async () => {
  const typed = { 'claim-1': 'Not sent' };
  await storage.put('contactNotes', typed);
  await storage.put('draft:claim-1', { notes: 'Typed' });
  const rejections = { 'claim-2': { code: null, freeText: 'Far' } };
  await storage.put('rejections', rejections);
  await storage.setTypedAside('SVC-1');
  await storage.clear();
  await storage.bringTypedBack('SVC-2');
  expect(await storage.getAll('contactNotes', 'draft:claim-1')).toEqual([undefined, undefined]);
  await storage.clear();
  // With nothing typed, this keeps what was set aside before.
  await storage.setTypedAside('SVC-1');
  await storage.bringTypedBack('SVC-1');
  expect(await storage.getAll('contactNotes', 'draft:claim-1', 'rejections')).toEqual([
    ...[typed, { notes: 'Typed' }, rejections],
  ]);
  await storage.remove('contactNotes');
  await storage.bringTypedBack('SVC-1');
  expect(await storage.get('contactNotes')).toBeUndefined();
});
