import { signal } from '@preact/signals';

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

/** Lets the adjuster install the app. Browsers offer it once, soon after the page has loaded. */
export const installPrompt = signal<InstallPrompt | null>(null);

addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  installPrompt.value = event as InstallPrompt;
});
addEventListener('appinstalled', () => {
  installPrompt.value = null;
});
