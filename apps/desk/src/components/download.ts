import { saveFile } from '@svc/web-app/save-file';
import { showError } from '../app.ts';
import { ROOT } from '../root.ts';

/** Saves a list as a file. Not a link: the service takes the cookie only with the page's header. */
export async function downloadCsv(
  path: string,
  query: Readonly<Record<string, string>>,
  name: string,
): Promise<void> {
  try {
    const response = await fetch(`${ROOT}${path}?${new URLSearchParams(query)}`, {
      headers: { 'X-Claims-Page': '1', Accept: 'text/csv' },
      cache: 'no-store',
    });
    if (!response.ok) throw new Error(`${response.status}`);
    saveFile(await response.blob(), name);
  } catch (error) {
    showError(error);
  }
}
