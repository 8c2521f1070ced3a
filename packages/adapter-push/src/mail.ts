import type { Mailer } from '@svc/application';
import nodemailer from 'nodemailer';
import type { PushLog } from './log.ts';

export interface Mail extends Mailer {
  /** Tells an adjuster that a firm invites them; throws when trying again later may help. */
  sendInvitation(email: string, firmName: string): Promise<void>;
}

/** Mail servers answer within seconds, or something is wrong that waiting does not mend. */
const TIMEOUTS = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 };

/** @param appUrl where the app is, for the link in an invitation. */
export function createMail(smtpUrl: string, appUrl: () => string, log: PushLog): Mail {
  const transport = nodemailer.createTransport({ url: smtpUrl, ...TIMEOUTS });
  const from = { name: 'Claim assignments', address: `no-reply@${new URL(smtpUrl).hostname}` };
  const send = (to: string, subject: string, text: string): Promise<unknown> =>
    transport.sendMail({ to, from, subject, text });
  return {
    async sendSignInCode(email, code) {
      try {
        await send(
          email,
          `${code} is your sign-in code`,
          `Your sign-in code is ${code}. It is good for ten minutes.\n\nIf you did not ask for it, ignore this mail: nobody can sign in without it.\n`,
        );
      } catch (error) {
        log.error('a sign-in code could not be mailed', { error_code: codeOf(error) });
      }
    },
    async sendInvitation(email, firmName) {
      await send(
        email,
        `${oneLine(firmName)} invites you`,
        `${oneLine(firmName)} invites you to take claims from them.\n\nOpen the app to accept or decline within seven days: ${appUrl()}\n`,
      );
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

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? 'unknown');
