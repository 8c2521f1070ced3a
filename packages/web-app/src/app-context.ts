import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Navigation } from './navigation.ts';
import type { CommonTexts } from './texts/en.ts';
import type { Toasts } from './toasts.ts';

/** What the shared components use of the app they are part of. */
export interface WebApp {
  readonly texts: ReadonlySignal<CommonTexts>;
  readonly navigation: Pick<Navigation<unknown>, 'returnItem' | 'takeReturnPosition'>;
  readonly toasts: Pick<Toasts, 'toast' | 'closeToast' | 'showToast' | 'showError'>;
  reportError(error: unknown): void;
  /** Loads the app again, after something could not be shown. */
  startAgain(): Promise<void>;
}

export const AppContext = createContext<WebApp | null>(null);

export function useApp(): WebApp {
  const app = useContext(AppContext);
  if (app === null) throw new Error('outside of an app');
  return app;
}
