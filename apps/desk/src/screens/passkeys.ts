import { createPasskeyScreens } from '@svc/web-app/components/passkey-screens';
import { call, desk, request, session, showError, showToast, texts } from '../app.ts';

export const { Passkeys, PasskeyRequired } = createPasskeyScreens({
  ...{ request, showError, showToast },
  words: () => texts.value.passkeys,
  signOutText: () => texts.value.settings.signOut,
  language: () => desk.language.language.value,
  list: () => call('listStaffPasskeys'),
  options: () => call('startStaffPasskeyRegistration'),
  register: (parts) => call('registerStaffPasskey', parts),
  rename: (parts) => call('renameStaffPasskey', parts),
  remove: (parts) => call('removeStaffPasskey', parts),
  signOut: () => desk.signOut(false),
  async onRequiredAdded() {
    session.needsPasskey.value = false;
    desk.open();
  },
});
