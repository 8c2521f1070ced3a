import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Toasts } from '@svc/web-app/toasts';
import type { Storage } from '../data/storage.ts';
import { START_RELEASE } from '../data/worker-messages.ts';
import { type UpdateEvent, type UpdateState, updateReducer } from '../model/update-state.ts';
import type { Texts } from '../texts/en.ts';

/** Fields that a reload empties. Preact sets only `value`, so it differs from `defaultValue` in stored fields too. */
const TYPED = 'input:not([type=checkbox]), textarea';

/** Releases of the app, which its service worker installs. */
export function createUpdates(deps: {
  readonly root: string;
  readonly storage: Storage;
  readonly toasts: Pick<Toasts, 'showToast'>;
  readonly texts: ReadonlySignal<Texts>;
}) {
  const state = signal<UpdateState>('uncontrolled');
  const update = (event: UpdateEvent): void => {
    state.value = updateReducer(state.value, event);
  };

  /** Whether a new release of the app is installed, which a reload starts. */
  const updateReady = computed(() => state.value === 'waiting' || state.value === 'replaced');

  let registration: ServiceWorkerRegistration | undefined;

  /** @param started until then the files of the app, which the worker stores, would delay the first lists. */
  function registerWorker(started: Promise<void>): void {
    if (!('serviceWorker' in navigator)) return;
    if (navigator.serviceWorker.controller !== null) update('controlled');
    navigator.serviceWorker.addEventListener('controllerchange', () => {
      if (state.value === 'activating') location.reload();
      else update('controlled');
    });
    const registerOrWait = (): Promise<void> =>
      register().catch(() => addEventListener('online', () => void registerOrWait(), { once: true }));
    void started.finally(registerOrWait);
  }

  async function register(): Promise<void> {
    const registered = await navigator.serviceWorker.register(`${deps.root}sw.js`, {
      scope: deps.root.slice(0, -1),
    });
    registration = registered;
    const noticeWaiting = () => registered.waiting !== null && update('installed');
    noticeWaiting();
    registered.addEventListener('updatefound', () => {
      registered.installing?.addEventListener('statechange', noticeWaiting);
    });
    // A page that stays open for days looks for an update when it is shown again.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void registered.update().catch(() => {});
    });
  }

  /**
   * For an app that cannot show something: removes what the service can send again, and starts with a newer release if
   * there is one. Unsent answers, notes and other typed text stay.
   */
  async function startAgain(): Promise<void> {
    const update = async () => {
      if (navigator.onLine) await deps.storage.clearLists();
      const { activateNext } = await import('./activate-next.ts');
      await activateNext(registration);
    };
    await update().catch(() => {});
    location.reload();
  }

  /**
   * Starts the new release. Notes, dates and the preferences of the device are stored as they are entered; other fields
   * have to be finished first.
   */
  function applyUpdate(): void {
    const typed = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TYPED)].find(
      (field) => field.value !== field.defaultValue && field.closest('[data-stored]') === null,
    );
    if (typed !== undefined) {
      typed.focus();
      deps.toasts.showToast(() => deps.texts.value.update.saveFirst);
      return;
    }
    const waiting = registration?.waiting;
    if (state.value === 'replaced' || waiting == null) {
      location.reload();
      return;
    }
    update('accepted');
    waiting.postMessage(START_RELEASE);
  }

  return { updateReady, registerWorker, startAgain, applyUpdate };
}
