import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';

export type Certificate = ReturnType<ReturnType<typeof createCertificateAuthority>['issue']>;

const ALGORITHM = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];

/** A certificate authority of the tests' own. */
export function createCertificateAuthority() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const files = ['-keyout', at('ca.key'), '-out', at('ca.crt')];
  openssl('req', '-x509', ...ALGORITHM, ...files, '-subj', '/CN=Test CA');
  let count = 0;
  return {
    /** The authority's own certificate. */
    cert: readFileSync(at('ca.crt'), 'utf8'),
    file: at('ca.crt'),
    /** A certificate for these names and addresses, such as `DNS:localhost`. */
    issue(...names: string[]) {
      count += 1;
      const [keyFile, request, certFile] = [at(`${count}.key`), at(`${count}.csr`), at(`${count}.crt`)];
      openssl('req', ...ALGORITHM, '-keyout', keyFile, '-out', request, '-subj', '/CN=server');
      writeFileSync(at('names'), `subjectAltName=${names.join(',')}`);
      const signing = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1'];
      openssl('x509', '-req', '-in', request, ...signing, '-extfile', at('names'), '-out', certFile);
      const [key, cert] = [readFileSync(keyFile, 'utf8'), readFileSync(certFile, 'utf8')];
      return { key, cert, keyFile, certFile };
    },
  };
}
