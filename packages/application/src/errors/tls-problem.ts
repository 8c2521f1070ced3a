/** OpenSSL's and node's texts: libraries replace the codes of errors, and keep their messages. */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /does not match certificate's altnames|wrong host/i,
    'its certificate is for another host name; connect by a name that the certificate has',
  ],
  [
    /self[- ]signed certificate|unable to (verify|get)\b.*\b(certificate|issuer)/i,
    'its certificate is not signed by a trusted authority; name a private authority with sslrootcert (PostgreSQL) or NODE_EXTRA_CA_CERTS',
  ],
  [/certificate has expired|certificate is not yet valid/i, 'its certificate is not valid at this time'],
  [/does not support ssl|wrong version number|STARTTLS/i, 'it does not offer TLS'],
];

/** Why a TLS connection was not made, as the end of a sentence about the server; null for any other error. */
export function tlsProblem(error: unknown): string | null {
  const { message } = error as { message?: unknown };
  return PROBLEMS.find(([pattern]) => pattern.test(String(message)))?.[1] ?? null;
}
