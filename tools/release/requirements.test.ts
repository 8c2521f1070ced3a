import { expect, test } from '@jest/globals';
import { missingRequirement } from './requirements.ts';

const LINUX = { platform: 'linux', isRoot: true } as const;

test.each([
  [[], 'release:image needs buildah and debootstrap: apt-get install buildah debootstrap'],
  [['debootstrap'], 'release:image needs buildah: apt-get install buildah'],
  [['buildah', 'debootstrap'], null],
])('with the commands %j, the image check says what to install', (installed: string[], missing) => {
  expect(missingRequirement({ ...LINUX, hasCommand: (name) => installed.includes(name) })).toBe(missing);
});

test.each([
  ['another system', { platform: 'darwin', isRoot: true }],
  ['another user', { platform: 'linux', isRoot: false }],
] as const)('%s gets one line without packages to install', (_, machine) => {
  expect(missingRequirement({ ...machine, hasCommand: () => false })).toBe(
    'release:image needs Linux and root.',
  );
});
