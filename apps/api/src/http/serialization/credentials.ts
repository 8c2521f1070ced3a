import type { SaveCredentialsBody } from '@svc/contract';
import type { EnteredCredentials } from '@svc/domain';
import { versionOf } from './version.ts';

/** An empty list says nothing, and is stored as none. */
export const credentialsFromWire = ({ fcn, licenses = [] }: SaveCredentialsBody): EnteredCredentials => ({
  ...(fcn !== undefined && {
    fcn: { number: fcn.number, categories: fcn.categories, expiresOn: fcn.expires_on },
  }),
  ...(licenses.length > 0 && {
    licenses: licenses.map(({ expires_on: expiresOn, ...license }) => ({ ...license, expiresOn })),
  }),
});

export const sharedCredentialsToWire = ({ fcn, licenses = [] }: EnteredCredentials) => ({
  ...(fcn !== undefined && {
    fcn: { number: fcn.number, categories: fcn.categories, expires_on: fcn.expiresOn },
  }),
  licenses: licenses.map(({ state, kind, number, expiresOn: expires_on }) => ({
    ...{ state, kind, number, expires_on },
  })),
});

export const credentialsVersion = (credentials: EnteredCredentials): string =>
  versionOf(sharedCredentialsToWire(credentials));

export const credentialsToWire = (credentials: EnteredCredentials) => ({
  version: credentialsVersion(credentials),
  ...sharedCredentialsToWire(credentials),
});
