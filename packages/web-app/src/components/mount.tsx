import { type ComponentChildren, render } from 'preact';
import { AppContext, type WebApp } from '../app-context.ts';

/** Renders the page in its language, or in English where that cannot be loaded. */
export async function mount(
  page: ComponentChildren,
  app: WebApp,
  language: { readonly load: () => Promise<unknown> },
): Promise<void> {
  await language.load().catch(() => {});
  const root = document.getElementById('app');
  if (root !== null) render(<AppContext.Provider value={app}>{page}</AppContext.Provider>, root);
}
