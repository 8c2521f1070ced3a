import { createPasskeyScreens } from '@svc/web-app/components/passkey-screens';
import { allTexts } from '../all-texts.ts';
import { call, language, lists, request, session, showError, showToast, signOut } from '../app.ts';

export const { Passkeys, PasskeyRequired } = createPasskeyScreens({
  ...{ request, showError, showToast },
  words: () => allTexts.value.passkeys,
  signOutText: () => allTexts.value.settings.signOut,
  language: () => language.value,
  list: () => call('listPasskeys'),
  options: () => call('startPasskeyRegistration'),
  register: (parts) => call('registerPasskey', parts),
  rename: (parts) => call('renamePasskey', parts),
  remove: (parts) => call('removePasskey', parts),
  signOut: () => signOut(false),
  async onRequiredAdded() {
    session.needsPasskey.value = false;
    await lists.refresh();
  },
});
