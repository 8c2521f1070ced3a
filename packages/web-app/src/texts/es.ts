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
};
