import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { signal } from '@preact/signals';
import { ApiError, isRefusal, NetworkError, needsSignIn } from '../src/api-error.ts';
import { createChoice } from '../src/choice.ts';
import { createLanguage } from '../src/language.ts';
import { createSession } from '../src/session.ts';
import { type CommonTexts, commonEn } from '../src/texts/en.ts';
import { createToasts } from '../src/toasts.ts';

interface Profile {
  readonly name: string;
}
const PROFILE: Profile = { name: 'Jean Delacroix' };

describe('a session', () => {
  const PROFILE_OF_NOW: Profile = { name: 'Jean of now' };
  const starting = () => createSession<Profile>(() => {});

  test('starts with what the last visit stored, or signed out, and its end is said unless there was none', () => {
    const [known, unknown] = [starting(), starting()];
    known.restore(PROFILE);
    unknown.restore(undefined);
    expect([known.profile.value, unknown.profile.value]).toEqual([PROFILE, undefined]);
    for (const session of [known, unknown]) session.endStart();
    expect([known.profile.value, unknown.profile.value, unknown.endedBecause.value]).toEqual([
      ...[PROFILE, null, null],
    ]);
    const none = starting();
    for (const session of [known, none]) session.expire();
    expect([known.profile.value, known.endedBecause.value]).toEqual([null, 'expired']);
    expect([none.profile.value, none.endedBecause.value]).toEqual([null, null]);
  });

  test('is not opened again by a late response of an earlier session', () => {
    const session = starting();
    session.restore(PROFILE);
    const before = session.number();
    session.expire();
    const ended = session.number();
    for (const number of [before, ended]) session.renew(PROFILE, number);
    session.restore(PROFILE);
    expect(session.profile.value).toBeNull();
    session.open(PROFILE_OF_NOW);
    expect(new Set([before, ended, session.number()]).size).toBe(3);
    session.restore(PROFILE);
    session.renew(PROFILE, ended);
    expect(session.profile.value).toBe(PROFILE_OF_NOW);
    session.renew(PROFILE, session.number());
    expect(session.profile.value).toBe(PROFILE);
    const first = starting();
    first.renew(PROFILE, first.number());
    expect(first.profile.value).toBe(PROFILE);
  });

  const opened = () => {
    const expired = jest.fn();
    const session = createSession<Profile>(expired);
    session.open(PROFILE);
    const meets = (error: unknown) => session.request(() => Promise.reject(error)).catch(() => {});
    const state = () => [session.connection.value, session.reachable.value, session.needsPasskey.value];
    return { session, expired, meets, state };
  };

  test.each([
    ['no network', new NetworkError('connection'), ['offline', false, false], true],
    ['no response', new NetworkError('timeout'), ['offline', false, false], true],
    ['a failure of the service', new NetworkError('service'), ['problem', false, false], true],
    ['a refusal', new ApiError(409, 'claim_closed'), ['online', true, false], true],
    ['a required passkey', new ApiError(403, 'passkey_required'), ['online', true, true], true],
    ['the end of the session', new ApiError(401, 'invalid_session'), ['online', true, false], false],
  ] as const)('notes from each request that it met %s', async (_, error, expected, isSignedIn) => {
    const { session, expired, meets, state } = opened();
    await meets(new NetworkError('connection'));
    await meets(error);
    expect([state(), session.isSignedIn()]).toEqual([expected, isSignedIn]);
    await meets(error);
    expect(expired).toHaveBeenCalledTimes(isSignedIn ? 0 : 1);
    expect([await session.request(async () => 'read'), session.connection.value]).toEqual(['read', 'online']);
  });

  test('is not ended by a late refusal of an earlier session, nor asked for a passkey', async () => {
    const { session, expired, state } = opened();
    const refusals = [new ApiError(401, 'invalid_session'), new ApiError(403, 'passkey_required')];
    const late = refusals.map((error) => session.request(() => Promise.reject(error)).catch(() => {}));
    session.open(PROFILE_OF_NOW);
    await Promise.all(late);
    expect([session.profile.value, state()]).toEqual([PROFILE_OF_NOW, ['online', true, false]]);
    expect(expired).not.toHaveBeenCalled();
  });

  const over = new ApiError(401, 'invalid_session');
  const offline = new NetworkError('connection');
  test.each([
    ['the session is over by it', 204, over, null],
    ['it was over before', over, over, null],
    ['the profile can still be read', 204, 200, new NetworkError('service')],
    ['there is no network', offline, over, offline],
    ['the network goes', 204, offline, offline],
    ['it is refused', new ApiError(403, 'forbidden'), over, new ApiError(403, 'forbidden')],
  ])('ends by a sign-out where %s', async (_, sent, read, error) => {
    const { session, expired } = opened();
    const meets = (one: Error | number) => async () => {
      if (typeof one !== 'number') throw one;
    };
    const failed = await session.signOut(meets(sent), meets(read)).then(
      () => null,
      (caught: unknown) => caught,
    );
    expect([failed, session.endedBecause.value, session.isSignedIn()]).toEqual([
      ...[error, error === null ? 'signed out' : null, error !== null],
    ]);
    expect(expired).not.toHaveBeenCalled();
  });

  test.each([
    ['is signed out', 'signed out'],
    ['has ended', 'expired'],
  ])('that %s leaves no required passkey for the next one', async (_, because) => {
    const { session, meets } = opened();
    await meets(new ApiError(403, 'passkey_required'));
    if (because === 'expired') await meets(over);
    else
      await session.signOut(
        async () => {},
        () => Promise.reject(over),
      );
    expect([session.needsPasskey.value, session.endedBecause.value]).toEqual([false, because]);
    await meets(new ApiError(403, 'passkey_required'));
    expect([session.needsPasskey.value, session.profile.value]).toEqual([false, null]);
  });
});

describe('a short message', () => {
  afterEach(() => {
    jest.useRealTimers();
  });
  const opened = () => {
    jest.useFakeTimers();
    const hash = signal('#/settings');
    const toasts = createToasts(signal(commonEn as CommonTexts), hash);
    return { hash, ...toasts, lines: () => toasts.toast.value?.lines };
  };

  const { needed, failed } = commonEn.network;
  test.each([
    [new NetworkError('connection'), needed, [false, false]],
    [new NetworkError('timeout'), needed, [false, false]],
    [new NetworkError('service'), failed, [false, false]],
    [new ApiError(409, 'claim_closed'), failed, [false, true]],
    [new TypeError('x'), failed, [false, false]],
    [new ApiError(401, 'invalid_session'), undefined, [true, false]],
    [new ApiError(403, 'passkey_required'), undefined, [true, false]],
  ])('says why a request failed, unless a sign-in does: %s', (error, text, kinds) => {
    const { toast, showError } = opened();
    showError(error);
    const said = toast.value?.lines.map((line) => (typeof line === 'string' ? line : line()));
    expect(said).toEqual(text && [text]);
    expect(toast.value).toEqual(
      text ? { kind: 'error', screen: '#/settings', lines: [expect.any(Function)] } : null,
    );
    expect([needsSignIn(error), isRefusal(error)]).toEqual(kinds);
  });

  test('does not follow to another screen, and one for a screen waits for it', () => {
    const { hash, showToast, lines, toast } = opened();
    showToast('Saved.');
    expect(toast.value).toEqual({ lines: ['Saved.'], kind: 'neutral', screen: '#/settings' });
    hash.value = '#/firms';
    expect(lines()).toBeUndefined();
    showToast('Left.', 'success', '#/');
    hash.value = '#/';
    expect(toast.value).toEqual({ lines: ['Left.'], kind: 'success', screen: '#/' });
  });

  test('with the result of an answer stays on every screen, until another message', () => {
    const { hash, showResults, showToast, lines, toast } = opened();
    showResults(['Sent: A.'], 'success');
    hash.value = '#/firms';
    expect(toast.value).toEqual({ lines: ['Sent: A.'], kind: 'success', screen: null });
    showToast('Saved.');
    expect(lines()).toEqual(['Saved.']);
  });

  test('ends after six seconds and three for each further line, whatever was shown before it, or when it is closed', () => {
    const { showToast, showResults, closeToast, lines } = opened();
    showToast('Saved.');
    jest.advanceTimersByTime(5999);
    showResults(['a', 'b', 'c'], 'success');
    jest.advanceTimersByTime(11_999);
    expect(lines()).toHaveLength(3);
    jest.advanceTimersByTime(1);
    expect(lines()).toBeUndefined();
    showToast('Saved.');
    closeToast();
    expect(lines()).toBeUndefined();
  });
});

const choicesIn = (stored: Record<string, string>) => ({
  read: (key: string) => stored[key],
  write: (key: string, text: string) => void Object.assign(stored, { [key]: text }),
});

test('a choice is what was stored, if it is one of them, else the first, and is stored under its own name', () => {
  const stored: Record<string, string> = { order: 'name', colors: 'purple' };
  const order = createChoice(choicesIn(stored), 'order', ['work', 'name']);
  const colors = createChoice(choicesIn(stored), 'colors', ['device', 'dark']);
  expect([order.choice.value, colors.choice.value]).toEqual(['name', 'device']);
  colors.choose('dark');
  expect([colors.choice.value, stored]).toEqual(['dark', { order: 'name', colors: 'dark' }]);
});

test('a language shows once its texts are loaded, once, English until then, and is loaded again where that failed', async () => {
  const stored: Record<string, string> = { language: 'fr' };
  const es = jest.fn<() => Promise<string>>().mockResolvedValue('texts');
  es.mockRejectedValueOnce(new Error('offline'));
  const open = () =>
    createLanguage({ choices: choicesIn(stored), deviceLanguage: () => 'es', others: { es } });
  const { choice, language, loadedTexts, load, choose } = open();
  const shown = () => [choice.value, language.value, loadedTexts.value];
  await expect(load()).rejects.toThrow('offline');
  expect(shown()).toEqual(['device', 'en', undefined]);
  choose('es');
  expect(shown()).toEqual(['es', 'en', undefined]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown()).toEqual(['es', 'es', 'texts']);
  choose('en');
  await load();
  expect([shown(), stored]).toEqual([['en', 'en', undefined], { language: 'en' }]);
  choose('device');
  await load();
  expect([shown(), es.mock.calls.length, open().choice.value]).toEqual([
    ['device', 'es', 'texts'],
    2,
    'device',
  ]);
});
