import { isIP } from 'node:net';
import type { Mailer } from '@svc/application';
import nodemailer from 'nodemailer';
import { codeOf, type PushLog } from './log.ts';

export interface Mail extends Mailer {
  /** Tells an adjuster that a firm invites them; throws when trying again later may help. */
  sendInvitation(email: string, firmName: string): Promise<void>;
}

/** Mail servers answer within seconds, or something is wrong that waiting does not mend. */
const TIMEOUTS = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 };

/**
 * @param smtpUrl may name the sender, `smtp://host?from=claims@example.com`.
 * @param appUrl where the app is, for the link in an invitation.
 */
export function createMail(smtpUrl: string, appUrl: () => string, log: PushLog): Mail {
  const server = new URL(smtpUrl);
  const named = server.searchParams.get('from');
  server.searchParams.delete('from');
  const transport = nodemailer.createTransport({ url: server.href, ...TIMEOUTS });
  const send = (to: string, subject: string, text: string): Promise<unknown> => {
    const address = named ?? `no-reply@${domainOf(appUrl())}`;
    return transport.sendMail({
      to: { name: '', address: to },
      from: { name: 'Claim assignments', address },
      subject,
      text,
    });
  };
  return {
    async sendSignInCode(email, code) {
      try {
        await send(
          email,
          `${code} is your sign-in code · es su código de acceso`,
          `Your sign-in code is ${code}. It is good for ten minutes.\nIf you did not ask for it, ignore this mail: nobody can sign in without it.\n\nSu código de acceso es ${code}. Sirve por diez minutos.\nSi usted no lo pidió, ignore este mensaje: nadie puede entrar sin él.\n`,
        );
      } catch (error) {
        log.error('a sign-in code could not be mailed', { error_code: codeOf(error) });
      }
    },
    async sendInvitation(email, firmName) {
      const firm = oneLine(firmName);
      try {
        await send(
          email,
          `${firm}: invitation · invitación`,
          `${firm} invites you to take claims from them.\nOpen the app to accept or decline within seven days: ${appUrl()}\n\n${firm} le invita a recibir sus reclamaciones.\nAbra la aplicación para aceptar o declinar dentro de siete días: ${appUrl()}\n`,
        );
      } catch (error) {
        if (!isForGood(error)) throw error;
        log.warn('an invitation was refused by the mail server', { error_code: codeOf(error) });
      }
    },
  };
}

/** Without a mail server the code goes to the log: whoever runs a machine without mail has to hand it on. */
export function createMailLog(log: PushLog): Mail {
  return {
    async sendSignInCode(_email, code) {
      log.warn('no SMTP_URL is set, so this sign-in code is not mailed', { sign_in_code: code });
    },
    async sendInvitation() {
      log.debug('no SMTP_URL is set, so an invitation is not mailed');
    },
  };
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

/** The app's own host, as mail writes it: a bare IP address goes in brackets. */
function domainOf(url: string): string {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const version = isIP(host);
  if (version === 0) return host;
  return version === 6 ? `[IPv6:${host}]` : `[${host}]`;
}

/** The server has judged this very address or message; a refused sign-in or a busy server is another matter. */
function isForGood(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && Number(responseCode) >= 500;
}
