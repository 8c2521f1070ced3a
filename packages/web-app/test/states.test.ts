import { describe, expect, jest, test } from '@jest/globals';
import { ApiError, NetworkError } from '../src/api-error.ts';
import { createChoice } from '../src/choice.ts';
import { createSession } from '../src/session.ts';
import { type SessionEvent, type SessionState, STARTING, sessionReducer } from '../src/session-state.ts';
import { type Toast, type ToastEvent, toastReducer } from '../src/toast-state.ts';

interface Profile {
  readonly name: string;
}
type Event = SessionEvent<Profile>;
const PROFILE: Profile = { name: 'Jean Delacroix' };

describe('a session', () => {
  const after = (...events: Event[]): SessionState<Profile> =>
    events.reduce<SessionState<Profile>>(sessionReducer, STARTING);
  const restored: Event = { kind: 'restored', profile: PROFILE };

  test('starts with what the last visit stored, and is signed out when nothing is known', () => {
    expect(after(restored).kind).toBe('signedIn');
    expect(after({ kind: 'restored', profile: undefined }).kind).toBe('starting');
    expect(after({ kind: 'started' })).toMatchObject({ kind: 'signedOut', because: null });
  });

  test('that the service has ended says so, unless there was none', () => {
    expect(after(restored, { kind: 'unauthorized' })).toMatchObject({
      kind: 'signedOut',
      because: 'expired',
    });
    expect(after({ kind: 'unauthorized' })).toMatchObject({ kind: 'signedOut', because: null });
    const out = after(restored, { kind: 'signedOut' });
    expect(sessionReducer(out, { kind: 'unauthorized' })).toBe(out);
  });

  test('is not opened again by a late response of an earlier session', () => {
    const ended = after(restored, { kind: 'signedOut' });
    expect(sessionReducer(ended, { kind: 'profile', profile: PROFILE, number: 0 })).toBe(ended);
    expect(sessionReducer(ended, { kind: 'profile', profile: PROFILE, number: ended.number })).toBe(ended);
    const next = sessionReducer(ended, { kind: 'signedIn', profile: PROFILE });
    expect(next.number).toBe(ended.number + 1);
    expect(sessionReducer(next, restored)).toBe(next);
    expect(sessionReducer(next, { kind: 'profile', profile: PROFILE, number: ended.number })).toBe(next);
  });

  const opened = () => {
    const expired = jest.fn();
    const session = createSession<Profile>(expired);
    session.update({ kind: 'signedIn', profile: PROFILE });
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
    await session.request(async () => {});
    expect(session.connection.value).toBe('online');
  });

  test.each([
    ['is signed out', 'signed out'],
    ['has ended', 'expired'],
  ])('that %s leaves no required passkey for the next one', async (_, because) => {
    const { session, meets } = opened();
    const over = new ApiError(401, 'invalid_session');
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
  const after = (...events: ToastEvent[]): Toast | null => events.reduce(toastReducer, null as Toast | null);
  const show = (text: string, screen: string | null, toastKind: Toast['kind'] = 'success'): ToastEvent => ({
    kind: 'show',
    lines: [text],
    toastKind,
    screen,
    now: 0,
  });

  test('does not follow to another screen', () => {
    expect(after(show('Saved.', '#/settings'), { kind: 'screen', screen: '#/firms' })).toBeNull();
    expect(after(show('Saved.', '#/settings'), { kind: 'screen', screen: '#/settings' })?.lines).toEqual([
      'Saved.',
    ]);
  });

  test('with the result of an answer stays on every screen, until another message', () => {
    const result = after(show('Sent: A.', null), { kind: 'screen', screen: '#/firms' });
    expect(result?.lines).toEqual(['Sent: A.']);
    expect(toastReducer(result, show('Saved.', '#/firms'))?.lines).toEqual(['Saved.']);
  });

  test('ends with its time or when it is closed', () => {
    const shown = after(show('Saved.', '#/'));
    expect(toastReducer(shown, { kind: 'tick', now: (shown?.expiresAt ?? 0) - 1 })).toBe(shown);
    expect(toastReducer(shown, { kind: 'tick', now: shown?.expiresAt ?? 0 })).toBeNull();
    expect(toastReducer(shown, { kind: 'close' })).toBeNull();
    const long = toastReducer(null, { ...show('', null), lines: ['a', 'b', 'c'] } as ToastEvent);
    expect([shown?.expiresAt, long?.expiresAt]).toEqual([6000, 12_000]);
  });
});

test('a choice is what was stored, if it is one of them, else the first, and is stored under its own name', () => {
  const stored: Record<string, string> = { order: 'name', colors: 'purple' };
  const choices = {
    read: (key: string) => stored[key],
    write: (key: string, text: string) => void Object.assign(stored, { [key]: text }),
  };
  const order = createChoice(choices, 'order', ['work', 'name']);
  const colors = createChoice(choices, 'colors', ['device', 'dark']);
  expect([order.choice.value, colors.choice.value]).toEqual(['name', 'device']);
  colors.choose('dark');
  expect([colors.choice.value, stored]).toEqual(['dark', { order: 'name', colors: 'dark' }]);
});
