import { isIP } from 'node:net';
import type { AccountEvent, Mailer } from '@svc/application';
import nodemailer from 'nodemailer';
import { codeOf, mailErrorFields, type PushLog, reasonOf } from './log.ts';

export interface Mail extends Mailer {
  /** Throws when a retry may succeed. */
  sendInvitation(email: string, firmName: string, isReminder: boolean): Promise<void>;
  /** Throws when a retry may succeed. */
  sendCredentialsExpire(email: string, expiresOn: string): Promise<void>;
  /** Throws when a retry may succeed. */
  sendWebhookPaused(email: string, host: string, isGone: boolean): Promise<void>;
}

/** Mail servers reply within seconds; waiting longer does not help. */
const TIMEOUTS = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 };

/** English and Spanish. */
const ACCOUNT_NOTICES: Readonly<Record<AccountEvent, readonly [english: string, spanish: string]>> = {
  email_requested: [
    'Another email address was requested for your account. It counts once it is confirmed.',
    'Se pidió otro correo para su cuenta. Contará cuando se confirme.',
  ],
  email_changed: [
    'Another email address has replaced this one in your account.',
    'Otro correo reemplazó a este en su cuenta.',
  ],
  passkey_added: ['A passkey was added to your account.', 'Se agregó una llave de acceso a su cuenta.'],
  passkey_removed: [
    'A passkey was removed from your account.',
    'Se eliminó una llave de acceso de su cuenta.',
  ],
};

/** The sender is a parameter of the URL that is not for the transport. */
function connectTo(smtpUrl: string) {
  const server = new URL(smtpUrl);
  const sender = server.searchParams.get('from');
  server.searchParams.delete('from');
  return {
    url: smtpUrl,
    sender,
    transport: nodemailer.createTransport({
      url: server.href,
      ...TIMEOUTS,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  };
}

/** Connects and signs in without sending anything. Null, or why no mail would be sent. */
export async function mailProblem(smtpUrl: string): Promise<string | null> {
  const { transport } = connectTo(smtpUrl);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return reasonOf(error);
  } finally {
    transport.close();
  }
}

/**
 * @param smtpUrl may name the sender: `smtp://host?from=claims@example.com`. Called again when a login is rejected, since
 *   the password may have been changed.
 * @param baseUrl the service's address, for the links in invitations.
 */
export function createMail(smtpUrl: () => string, baseUrl: () => string, log: PushLog): Mail {
  const appUrl = (): string => `${baseUrl()}/app`;
  let server = connectTo(smtpUrl());
  const send = async (to: string, subject: string, text: string): Promise<void> => {
    const sendBy = async ({ sender, transport }: typeof server): Promise<void> => {
      const from = { name: 'Claim assignments', address: sender ?? `no-reply@${domainOf(appUrl())}` };
      await transport.sendMail({ to: { name: '', address: to }, from, subject, text });
    };
    const used = server;
    try {
      await sendBy(used);
    } catch (error) {
      const url = smtpUrl();
      if (codeOf(error) !== 'EAUTH' || url === used.url) throw error;
      server = connectTo(url);
      await sendBy(server);
    }
  };
  type Message = Parameters<typeof send>;
  const sendOnce = (failure: string, ...message: Message): Promise<void> =>
    send(...message).catch((error) => log.error(failure, mailErrorFields(error)));
  /** Throws when a retry may succeed. */
  const sendOrRetry = (rejection: string, ...message: Message): Promise<void> =>
    send(...message).catch((error) => {
      if (!isPermanent(error)) throw error;
      log.warn(rejection, { error_code: codeOf(error) });
    });
  return {
    async sendSignInCode(email, code) {
      await sendOnce(
        'a sign-in code could not be emailed',
        email,
        'Your sign-in code · Su código de acceso',
        `Your sign-in code is ${code}. It is valid for ten minutes.\nIf you did not ask for it, ignore this mail: nobody can sign in without it.\n\nSu código de acceso es ${code}. Sirve por diez minutos.\nSi usted no lo pidió, ignore este mensaje: nadie puede entrar sin él.\n`,
      );
    },
    async sendEmailCode(email, code) {
      await sendOnce(
        'a code for a new email address could not be emailed',
        email,
        'Confirm your new email address · Confirme su nuevo correo',
        `Enter ${code} in the app to confirm this email address. The code is valid for ten minutes.\nIf you did not ask for it, ignore this mail.\n\nEscriba ${code} en la aplicación para confirmar este correo. El código sirve por diez minutos.\nSi usted no lo pidió, ignore este mensaje.\n`,
      );
    },
    async sendStaffInvitation(email, firmName) {
      const firm = oneLine(firmName);
      const address = `${baseUrl()}/firm`;
      await sendOnce(
        'an invitation of a staff member could not be emailed',
        email,
        `${firm}: your account · su cuenta`,
        `${firm} invites you to its desk for claims.\nSign in with this email address: ${address}\n\n${firm} le invita a su mesa de reclamaciones.\nEntre con este correo: ${address}\n`,
      );
    },
    async sendLateOffers(email, firmName, count) {
      const firm = oneLine(firmName);
      const address = `${baseUrl()}/firm`;
      await sendOnce(
        'a mail about late offers could not be sent',
        email,
        `${firm}: late offers · ofertas atrasadas`,
        `Offers that wait longer than your firm does: ${count}\nSee the board: ${address}\nTo get no more of these mails, change your settings there.\n\nOfertas que esperan más de lo que espera su firma: ${count}\nVea el tablero: ${address}\nPara no recibir más estos mensajes, cambie ahí su configuración.\n`,
      );
    },
    async sendAccountNotice(email, event) {
      const [english, spanish] = ACCOUNT_NOTICES[event];
      await sendOnce(
        'a notice about an account could not be emailed',
        email,
        'Your account · Su cuenta',
        `${english}\nIf it was not you, remove unknown passkeys and sign out everywhere in the app, and contact your firm.\n\n${spanish}\nSi no fue usted, elimine las llaves de acceso que no conozca, cierre todas las sesiones en la aplicación y avise a su firma.\n`,
      );
    },
    async sendInvitation(email, firmName, isReminder) {
      const firm = oneLine(firmName);
      const [english, spanish] = isReminder
        ? ['before the invitation expires', 'antes de que venza la invitación']
        : ['within seven days', 'dentro de siete días'];
      await sendOrRetry(
        'an invitation was rejected by the mail server',
        email,
        isReminder
          ? `${firm}: your invitation is waiting · su invitación espera`
          : `${firm}: invitation · invitación`,
        `${firm} invites you to take claims from them.\nOpen the app to accept or decline ${english}: ${appUrl()}\n\n${firm} le invita a recibir sus reclamaciones.\nAbra la aplicación para aceptar o declinar ${spanish}: ${appUrl()}\n`,
      );
    },
    async sendCredentialsExpire(email, expiresOn) {
      const address = `${appUrl()}#/credentials`;
      await sendOrRetry(
        'a reminder of credentials was rejected by the mail server',
        email,
        'A license or your FCN ends soon · Una licencia o su FCN vence pronto',
        `The last day of a license or of your FCN is ${expiresOn}.\nOnce you have renewed it, enter the new date: ${address}\n\nEl último día de una licencia o de su FCN es ${expiresOn}.\nCuando lo haya renovado, anote la fecha nueva: ${address}\n`,
      );
    },
    async sendWebhookPaused(email, host, isGone) {
      const address = `${baseUrl()}/firm`;
      const why = isGone
        ? ['It responded with 410 Gone.', 'Respondió 410 Gone.']
        : ['All attempts of three days failed.', 'Fallaron todos los intentos de tres días.'];
      await sendOrRetry(
        'a notice about a webhook was rejected by the mail server',
        email,
        'A webhook endpoint was paused · Se pausó un webhook',
        `Your endpoint at ${host} gets no webhooks any more. ${why[0]}\nNo change is lost: keep polling, correct the endpoint, and resume it at ${address}\n\nSu servidor ${host} ya no recibe webhooks. ${why[1]}\nNo se pierde ningún cambio: siga consultando, corrija el servidor y reanúdelo en ${address}\n`,
      );
    },
  };
}

/** Without a mail server, codes are logged, and the operator passes them on. */
export function createMailLog(log: PushLog): Mail {
  const unsent = (what: string) => async () => log.debug(`SMTP_URL is unset; ${what}`);
  return {
    async sendSignInCode(_email, code) {
      log.warn('SMTP_URL is unset; sign-in code not emailed', { sign_in_code: code });
    },
    async sendEmailCode(_email, code) {
      log.warn('SMTP_URL is unset; code for a new email address not emailed', { email_code: code });
    },
    sendStaffInvitation: unsent('invitation of a staff member not emailed'),
    sendLateOffers: unsent('mail about late offers not sent'),
    sendAccountNotice: unsent('notice about an account not emailed'),
    sendCredentialsExpire: unsent('reminder of credentials not emailed'),
    sendInvitation: unsent('invitation not emailed'),
    sendWebhookPaused: unsent('notice about a webhook not emailed'),
  };
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

/** The app's host as a mail domain: an IP address goes in brackets. */
function domainOf(url: string): string {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const version = isIP(host);
  if (version === 0) return host;
  return version === 6 ? `[IPv6:${host}]` : `[${host}]`;
}

/** A 5xx about the address or the message is permanent; a failed login or a busy server is not. */
function isPermanent(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && Number(responseCode) >= 500;
}
