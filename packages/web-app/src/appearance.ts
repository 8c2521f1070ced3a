import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Language } from './texts/languages.ts';

/** Applies the colors that were chosen, `device` for those of the device, and the language. */
export function showAppearance(scheme: () => string, language: ReadonlySignal<Language>): void {
  const darkDevice = matchMedia('(prefers-color-scheme: dark)');
  const isDark = signal(darkDevice.matches);
  darkDevice.addEventListener('change', ({ matches }) => {
    isDark.value = matches;
  });
  effect(() => {
    const { documentElement: root } = document;
    const chosen = scheme();
    root.dataset.scheme = chosen === 'device' ? (isDark.value ? 'dark' : 'light') : chosen;
    root.lang = language.value;
  });
}
