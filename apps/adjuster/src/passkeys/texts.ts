const en = {
  title: 'Passkeys',
  lead: 'Sign in with your fingerprint, face or screen lock instead of a code. A passkey stays on your devices. Signing out everywhere keeps it: remove the passkeys of a lost device here.',
  none: 'You have no passkeys.',
  name: 'Name of the passkey',
  defaultName: 'My device',
  add: 'Add a passkey',
  added: 'The passkey was added.',
  rename: (name: string) => `Rename ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removeLead: (name: string) => `Nobody can sign in with “${name}” any more.`,
  removed: 'The passkey was removed.',
  last: 'Your only passkey cannot be removed. Add another one first.',
  used: (date: string) => `Last used ${date}`,
  unused: 'Not used yet',
  failed: 'The device did not create or find a passkey. Try again.',
  requiredTitle: 'Add a passkey to continue',
  requiredLead: 'Your operator requires a passkey. Add one on this device: from then on you sign in with it.',
  requiredElsewhere: 'Your account has a passkey already. Sign out, and sign in with it.',
};

type PasskeyTexts = typeof en;

const es: PasskeyTexts = {
  title: 'Llaves de acceso',
  lead: 'Inicie sesión con su huella, su rostro o el bloqueo de pantalla en vez de un código. La llave de acceso queda en sus dispositivos. Se conserva al cerrar todas las sesiones: quite aquí las de un dispositivo perdido.',
  none: 'No tiene llaves de acceso.',
  name: 'Nombre de la llave de acceso',
  defaultName: 'Mi dispositivo',
  add: 'Agregar una llave de acceso',
  added: 'Se agregó la llave de acceso.',
  rename: (name) => `Cambiar el nombre de ${name}`,
  remove: (name) => `Quitar ${name}`,
  removeLead: (name) => `Nadie podrá iniciar sesión con “${name}”.`,
  removed: 'Se quitó la llave de acceso.',
  last: 'No puede quitar su única llave de acceso. Agregue otra primero.',
  used: (date) => `Último uso: ${date}`,
  unused: 'Sin usar',
  failed: 'El dispositivo no creó ni encontró una llave de acceso. Inténtelo de nuevo.',
  requiredTitle: 'Agregue una llave de acceso para continuar',
  requiredLead:
    'Su operador exige una llave de acceso. Agregue una en este dispositivo: desde entonces iniciará sesión con ella.',
  requiredElsewhere: 'Su cuenta ya tiene una llave de acceso. Cierre la sesión e inicie otra con ella.',
};

export const PASSKEY_TEXTS = { en, es } as const;
