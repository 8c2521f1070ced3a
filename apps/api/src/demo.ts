import type { IssuedTestAccount } from '@svc/application';
import type { Services } from './composition/container.ts';

interface Demo {
  readonly firmId: string;
  readonly testKey: string;
  readonly liveKey: string;
  /** The test account that accepts every offer. */
  readonly adjuster: string;
  /** The test account that responds only manually, with its sign-in secret. */
  readonly manual: { readonly svcId: string; readonly signInSecret: string };
}

/** Creates a firm to try the service with. Null when the database already has a firm. */
export async function createDemo(services: Services): Promise<Demo | null> {
  const created = await services.createFirstFirm({
    name: 'Demo Adjusting Firm',
    plan: 'standard',
  });
  if (created === null) return null;
  const { firm, testAccounts } = created;
  const common = { firmId: firm.id, purpose: 'full_access', lifetimeMs: null } as const;
  const test = await services.createKey(services.operator, { ...common, environment: 'test' });
  const live = await services.createKey(services.operator, { ...common, environment: 'live' });
  const account = (wanted: IssuedTestAccount['behavior']): IssuedTestAccount => {
    const found = testAccounts.find(({ behavior }) => behavior === wanted);
    if (found === undefined) throw new Error(`the new firm has no test account ${wanted}`);
    return found;
  };
  return {
    firmId: firm.id,
    testKey: test.secret,
    liveKey: live.secret,
    adjuster: account('accepts').svcId,
    manual: account('manual'),
  };
}

/**
 * Shell commands to paste: send a claim to a test account, wait until it accepts, read the outcome.
 * @param dataDir where the database is, unless it is in the default folder
 */
export function walkThrough(url: string, demo: Demo, dataDir?: string): string {
  const svc = `${dataDir === undefined ? '' : `DATA_DIR='${dataDir}' `}npx pnpm svc`;
  return `A demo firm was created. Its keys are shown only once:

  test key  ${demo.testKey}
  live key  ${demo.liveKey}
  firm id   ${demo.firmId}

Documentation: ${url}/docs
Answer offers by hand at ${url}/app; sign in as ${demo.manual.svcId} with the secret
${demo.manual.signInSecret}
The firm's desk is at ${url}/firm; invite yourself, then sign in with the code that is emailed or logged:
  ${svc} staff invite --firm ${demo.firmId} --email you@example.com --name You --role admin

Try it: paste this into a shell. The test account accepts every offer after about two seconds:

  URL=${url}
  KEY=${demo.testKey}

  curl -sw '\\n' $URL/v1/me -H "Authorization: Bearer $KEY"

  curl -sw '\\n' $URL/v1/claims -H "Authorization: Bearer $KEY" \\
    -H 'Idempotency-Key: walk-through-1' -H 'Content-Type: application/json' -d '{
      "external_id": "WALK-1", "claim_number": "FLD-2024-000123",
      "adjuster_svc_id": "${demo.adjuster}",
      "loss": {"date": "2024-09-26"},
      "policy": {"number": "8704421973"},
      "carrier": {"name": "Gulf Mutual Flood"},
      "loss_location": {"street": "114 Bayshore Dr", "city": "Cedar Key", "state": "FL", "zip": "32625"},
      "policyholder": {"first_name": "Ana", "last_name": "Reyes", "phone": "352-555-0142"},
      "building": {"flood_zone": "AE"}
    }'

  sleep 3
  curl -sw '\\n' "$URL/v1/claims?external_id=WALK-1" -H "Authorization: Bearer $KEY"
`;
}
