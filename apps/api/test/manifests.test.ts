import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const documents = read('docker/kubernetes/claim-assignment.yaml').split(/^---$/m);
const documentsOf = (kind: string): string[] =>
  documents.filter((text) => new RegExp(`^kind: ${kind}$`, 'm').test(text));
const alerts = read('docker/monitoring/alerts.yaml');

test('on Kubernetes the autoscaler alone decides how many pods there are', () => {
  expect(documentsOf('HorizontalPodAutoscaler')).toHaveLength(1);
  expect(documentsOf('Deployment').join('')).not.toMatch(/^ {2}replicas:/m);
});

test('on Kubernetes every container has the same image, by tag and digest', () => {
  const images = [...documents.join('').matchAll(/^ +image: (\S+)$/gm)].map(([, image]) => image);
  expect(images).toHaveLength(3);
  expect([...new Set(images)]).toEqual([expect.stringMatching(/:v\d+\.\d+\.\d+@sha256:[0-9a-f]{64}$/)]);
});

test('Compose names the images of others by tag and digest', () => {
  const images = [...read('docker/compose.yaml').matchAll(/^ +image: \$\{\w+:-(\S+)\}$/gm)];
  expect(images).toHaveLength(3);
  for (const [, image] of images) expect(image).toMatch(/:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
});

test("on Kubernetes a Job migrates, and it alone has the owner's secret", () => {
  const [job = '', ...others] = documentsOf('Job');
  expect(others).toEqual([]);
  expect(job).toMatch(/command: \[svc, .*migrate\]/);
  const owners = documents.filter((text) => text.includes('secretName: claim-assignment-owner'));
  expect(owners).toEqual([job]);
  // Created before it, by the same selector.
  for (const text of [job, ...documentsOf('ConfigMap')])
    expect(text).toContain('app.kubernetes.io/component: schema');
});

test('on Kubernetes each secret file of the ConfigMap is among the files of a secret in the commands', () => {
  const [config = ''] = documentsOf('ConfigMap');
  const files = [...config.matchAll(/_FILE: \/run\/secrets\/claim-assignment\/(\S+)$/gm)];
  const commands = [...config.matchAll(/--from-file=(\S+)/g)].map(([, file]) => file);
  expect(files.map(([, file]) => file).filter((file) => !commands.includes(file))).toEqual([]);
});

test('on Kubernetes all pods have a policy for what they connect to', () => {
  const policies = documentsOf('NetworkPolicy');
  expect(policies.filter((text) => !text.includes('policyTypes: [Ingress, Egress]'))).toEqual([]);
  const selected = policies.flatMap((text) => text.match(/(?<=app\.kubernetes\.io\/name: )\S+/) ?? []);
  const pods = documents
    .filter((text) => /^ +containers:$/m.test(text))
    .flatMap(
      (text) => /template:\n +metadata:\n +labels:\n +app\.kubernetes\.io\/name: (\S+)/.exec(text)?.[1],
    );
  expect([...new Set(pods)].toSorted()).toEqual(selected.toSorted());
});

test('the names on Kubernetes are those that the alerts count', () => {
  const monitor = read('docker/kubernetes/pod-monitor.yaml');
  expect(monitor).toContain('jobLabel: app.kubernetes.io/name');
  const job = /up\{job="([^"]+)"\}/.exec(alerts)?.[1];
  expect(monitor).toContain(`app.kubernetes.io/name: ${job}\n`);
  const cronJob = /cronjob="([^"]+)"/.exec(alerts)?.[1];
  expect(documentsOf('CronJob').join('')).toContain(`name: ${cronJob}\n`);
});

test('every container of compose has limits, bounded logs, no new privileges and no capabilities but named ones', () => {
  const services = (read('docker/compose.yaml').split(/^services:$/m)[1] ?? '')
    .split(/^volumes:$/m)[0]
    ?.split(/^ {2}(?=[a-z]+:$)/m)
    .filter((text) => /^[a-z]+:/.test(text));
  const rules = [
    /^ {4}mem_limit: /m,
    /^ {4}logging: \*log$/m,
    /^ {4}cap_drop: \[ALL\]$/m,
    /no-new-privileges/,
  ];
  const missing = services?.flatMap((text) =>
    rules.filter((rule) => !rule.test(text)).map((rule) => `${text.split(':')[0]}: ${rule}`),
  );
  expect(services).toHaveLength(5);
  expect(missing).toEqual([]);
});

test('the release workflow signs the image that it has pushed, by digest, with its provenance', () => {
  const workflow = read('.github/workflows/release.yml');
  expect(workflow).toMatch(/cosign sign --yes "\$NAME@\$DIGEST"/);
  expect(workflow).toMatch(/attest-build-provenance@[0-9a-f]{40} /);
  expect(workflow).toMatch(/subject-digest: \$\{\{ steps\.build\.outputs\.digest \}\}/);
});
