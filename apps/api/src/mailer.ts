import type { Mailer } from '@svc/application';
import nodemailer from 'nodemailer';
import type { Log } from './logging.ts';

/** Without a mail server the code goes to the log: the operator of a machine without mail has to hand it on. */
export function createMailer(smtpUrl: string | null, log: Log): Mailer {
  if (smtpUrl === null) {
    return {
      async sendSignInCode(_email, code) {
        log.warn('no SMTP_URL is set, so this sign-in code is not mailed', { sign_in_code: code });
      },
    };
  }
  const transport = nodemailer.createTransport(smtpUrl);
  return {
    async sendSignInCode(email, code) {
      try {
        await transport.sendMail({
          to: email,
          from: { name: 'Claim assignments', address: `no-reply@${new URL(smtpUrl).hostname}` },
          subject: `${code} is your sign-in code`,
          text: `Your sign-in code is ${code}. It is good for ten minutes.\n\nIf you did not ask for it, nobody can sign in without it; ignore this mail.\n`,
        });
      } catch (error) {
        log.error('a sign-in code could not be mailed', {
          error_code: (error as { code?: unknown }).code ?? 'unknown',
        });
      }
    },
  };
}
