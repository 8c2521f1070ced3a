import type { commonEn } from './en.ts';
import { plural } from './en.ts';
import type { moreEn } from './en-more.ts';

const MONTHS = 'ene feb mar abr may jun jul ago sept oct nov dic'.split(' ');

/** Español de Puerto Rico. */
export const commonEs: typeof commonEn & typeof moreEn = {
  loading: 'Cargando …',
  back: 'Atrás',
  cancel: 'Cancelar',
  close: 'Cerrar',
  save: 'Guardar',
  saved: 'Guardado.',
  test: 'Prueba',
  skip: 'Ir al contenido',
  more: 'Mostrar más',
  searching: 'Buscando …',
  network: {
    needed: 'No se pudo conectar con el servicio. Verifique su conexión e intente de nuevo.',
    failed: 'Ocurrió un error. Intente de nuevo en un momento.',
    tryAgain: 'Intentar de nuevo',
  },
  signIn: {
    title: 'Iniciar sesión',
    lead: 'Le enviaremos un código de seis dígitos por correo electrónico. No necesita contraseña.',
    email: 'Su correo electrónico',
    send: 'Enviarme un código',
    sent: (email) => `Si ${email} tiene una cuenta, le enviamos un código. Es válido por 10 minutos.`,
    code: 'Código de seis dígitos',
    enter: 'Iniciar sesión',
    otherEmail: 'Usar otro correo',
    again: 'Enviar un código nuevo',
    refused: 'El código es incorrecto o venció. Verifíquelo o pida uno nuevo.',
    notRequested: 'Un código solo sirve en el navegador que lo pidió. Pida uno nuevo aquí.',
    passkey: 'Iniciar sesión con una llave de acceso',
    passkeyRefused: 'No se encontró una llave de acceso de esta cuenta. Inicie sesión por correo.',
    passkeyRequired: 'Esta cuenta tiene una llave de acceso. Inicie sesión con ella.',
    signedOut: 'Usted cerró la sesión.',
  },
  day: (year, month, day) => `${day} ${MONTHS[month]} ${year}`,
  duration: {
    minutes: (minutes) => `${minutes} min`,
    hours: (hours, minutes) => (minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`),
    days: (days, hours) =>
      hours === 0 ? plural(days, 'día', 'días') : `${plural(days, 'día', 'días')} ${hours} h`,
  },
  map: {
    approximate: (zip) => `≈ Centro del código postal ${zip}`,
    loading: 'Cargando el mapa …',
    zoomIn: 'Acercar',
    zoomOut: 'Alejar',
    showAll: 'Ver todo',
    cluster: (count, place) => `${plural(count, 'reclamación', 'reclamaciones')} cerca de ${place}`,
    unknown: (count) =>
      plural(
        count,
        'reclamación tiene un código postal que no está en el mapa.',
        'reclamaciones tienen un código postal que no está en el mapa.',
      ),
    showUnknown: 'Mostrar',
    you: 'Su ubicación',
    source: 'Datos del mapa: U.S. Census Bureau',
  },
  settings: {
    account: 'Cuenta',
    language: 'Idioma',
    device: 'Igual que el dispositivo',
    schemes: { device: 'Igual que el dispositivo', light: 'Clara', dark: 'Oscura' },
    session: 'Sesión',
    signOut: 'Cerrar sesión',
    signOutEverywhere: 'Cerrar sesión en todos los dispositivos',
  },
  sessions: {
    title: 'Dónde tiene sesión',
    current: 'Esta sesión',
    unnamed: 'Navegador',
    used: (time) => `Último uso ${time}`,
    end: 'Terminar',
    endNamed: (name, time) => `Terminar ${name}, último uso ${time}`,
    ended: 'La sesión terminó.',
  },
  passkeys: {
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
  },
};
