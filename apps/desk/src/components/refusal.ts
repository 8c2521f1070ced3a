import { ApiError } from '@svc/web-app/api-error';
import { showError, showToast, texts } from '../app.ts';

/** Why the service refused, in the language that is shown. */
export const refusalText = (code: string): string => texts.value.refusals[code] ?? code;

/** Shows a refusal in words; what else can fail is shown as everywhere. */
export function showRefusal(error: unknown): void {
  if (error instanceof ApiError && error.status !== 401 && error.code !== 'passkey_required')
    showToast(() => refusalText(error.code), 'error');
  else showError(error);
}
