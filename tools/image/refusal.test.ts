import { expect, test } from '@jest/globals';
import { refusalOf } from './refusal.ts';

const LINUX = { platform: 'linux', isRoot: true } as const;

test.each([
  [[], 'image:check needs buildah and debootstrap: apt-get install buildah debootstrap'],
  [['debootstrap'], 'image:check needs buildah: apt-get install buildah'],
  [['buildah', 'debootstrap'], null],
])('with the commands %j, the image check says what to install', (installed: string[], refusal) => {
  expect(refusalOf({ ...LINUX, hasCommand: (name) => installed.includes(name) })).toBe(refusal);
});

test.each([
  ['another system', { platform: 'darwin', isRoot: true }],
  ['another user', { platform: 'linux', isRoot: false }],
] as const)('%s cannot check the image, and is not told to install anything', (_, machine) => {
  expect(refusalOf({ ...machine, hasCommand: () => false })).toBe('image:check needs Linux and root.');
});
