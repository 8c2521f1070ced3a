import { createApi } from '@svc/web-app/api';
import { showAppearance } from '@svc/web-app/appearance';
import { browserChoices, tabChoices } from '@svc/web-app/choices';
import { createEventStream } from '@svc/web-app/event-stream';
import { deviceLanguage } from '@svc/web-app/texts/languages';
import { isAtLeastPx } from '@svc/web-app/width';
import { createDesk } from './create-desk.ts';
import { type Call, ROUTES } from './endpoints.ts';
import { createDeskNavigation } from './navigation.ts';
import { ROOT } from './root.ts';

// The desk of this page, and the names by which the screens use its parts.

export const navigation = createDeskNavigation(window);
export const { route, go } = navigation;
export const api = createApi<Call>(ROOT, ROUTES, () => desk.session.profile.value?.firm.id);
export const { call } = api;

/** Tabs of one browser have one session. Those that show the firm of before are loaded again. */
const firmChanges = new BroadcastChannel('desk-firm');
firmChanges.onmessage = () => location.reload();

export const desk = createDesk({
  onFirmChanged: () => firmChanges.postMessage(null),
  ...{ api, choices: browserChoices, drafts: tabChoices, deviceLanguage, navigation, random: Math.random },
  openEvents: (handlers) => createEventStream(`${ROOT}v1/changes`, handlers),
  page: {
    isVisible: () => document.visibilityState === 'visible',
    onVisibility: (listener) => document.addEventListener('visibilitychange', listener),
  },
});

export const { texts, session, environment, board, adjusters, offers, changes, can } = desk;
export const { request } = session;
export const { showError } = desk;
export const { showToast } = desk.toasts;
export const { dateTime, dateTimeSeconds, day, duration, since } = desk.format;
/** A time to answer of a report. */
export const answerTime = (seconds: number | null): string =>
  seconds === null ? '–' : (duration(seconds * 1000) ?? texts.value.reports.underMinute);

showAppearance(() => desk.scheme.value, desk.language.language);

/** Does what a button is for, and says how it went. @returns whether it succeeded */
export async function perform(work: () => Promise<unknown>, done = texts.value.saved): Promise<boolean> {
  try {
    await request(work);
    if (done !== '') showToast(() => done, 'success');
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

/** While this is true, the browser asks before it closes the page. */
export const holdPageWhile = (isBusy: () => boolean): void =>
  addEventListener('beforeunload', (event) => {
    if (isBusy()) event.preventDefault();
  });
holdPageWhile(
  () =>
    desk.uploads.value?.isSending.value === true ||
    desk.invitations.value?.isSending.value === true ||
    desk.secret.value !== undefined,
);

/** The operator has no report of errors of the desk: they stay in the browser's console. */
export const reportError = (error: unknown): void => console.error(error);

/** Whether the menu is beside the screens, and a claim beside the board. */
export const isWide = isAtLeastPx(1000);
