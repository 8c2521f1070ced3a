import { expect, test } from '@jest/globals';
import { tlsProblem } from '../src/index.ts';

test.each([
  [
    "Hostname/IP does not match certificate's altnames: Host: db",
    /^its certificate is for another host name; /,
  ],
  ['tlsv1 alert: Wrong host', /^its certificate is for another host name; /],
  ['self-signed certificate in certificate chain', /^its certificate is not signed by a trusted authority; /],
  ['self signed certificate', /^its certificate is not signed by a trusted authority; /],
  ['unable to verify the first certificate', /^its certificate is not signed by a trusted authority; /],
  ['unable to get local issuer certificate', /^its certificate is not signed by a trusted authority; /],
  ['certificate has expired', /^its certificate is not valid at this time$/],
  ['certificate is not yet valid', /^its certificate is not valid at this time$/],
  ['The server does not support SSL connections', /^it does not offer TLS$/],
  ['error:0A00010B:SSL routines::wrong version number', /^it does not offer TLS$/],
  ['Error upgrading connection with STARTTLS', /^it does not offer TLS$/],
])('the problem of a TLS connection that failed is recognized: %s', (message, problem) => {
  expect(tlsProblem(new Error(message))).toMatch(problem);
});

test('another error is not reported as a problem of TLS', () => {
  expect(tlsProblem(new Error('connect ECONNREFUSED 127.0.0.1:5432'))).toBeNull();
  expect(tlsProblem({ message: 1 })).toBeNull();
});
