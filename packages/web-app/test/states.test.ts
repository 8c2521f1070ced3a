import { describe, expect, test } from '@jest/globals';
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
  });
});
