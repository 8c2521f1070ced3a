import type { Language } from '@svc/web-app/texts/languages';
import type { NotificationWords } from '../model/push-message.ts';

/** The texts of notifications, all that the service worker needs; their title is the firm's name. */
export const NOTIFICATION_WORDS: Readonly<Record<Language, NotificationWords>> = {
  en: {
    app: 'Claim assignments',
    locale: 'en-US',
    kinds: {
      offer: 'A claim is waiting for your answer.',
      offer_withdrawn: 'An offered claim was withdrawn.',
      invitation: 'An invitation is waiting for you.',
      deadlines: 'Due within a day: {count}. Open your claims.',
      credentials: 'A license or your FCN ends soon: {date}. Open the app to see which.',
      acceptance_lost: 'Acceptances that did not count: {count}. Open the app to see why.',
      test: 'This is a test. Notifications work on this device.',
    },
  },
  es: {
    app: 'Asignación de reclamaciones',
    locale: 'es-US',
    kinds: {
      offer: 'Una reclamación espera su respuesta.',
      offer_withdrawn: 'Una reclamación ofrecida fue retirada.',
      invitation: 'Una invitación le espera.',
      deadlines: 'Vence dentro de un día: {count}. Abra sus reclamaciones.',
      credentials: 'Una licencia o su FCN vence pronto: {date}. Abra la aplicación para ver cuál.',
      acceptance_lost: 'Aceptaciones que no contaron: {count}. Abra la aplicación para ver por qué.',
      test: 'Esta es una prueba. Las notificaciones funcionan en este dispositivo.',
    },
  },
};
