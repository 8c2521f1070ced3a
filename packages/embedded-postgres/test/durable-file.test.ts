import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { writeDurably } from '../src/durable-file.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => void jest.restoreAllMocks());

test('a file is synced before it gets its name, and its folder afterwards', () => {
  const path = join(folder, 'secret');
  const steps: string[] = [];
  const sync = fs.fsyncSync;
  jest.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
    const isFolder = fs.fstatSync(fd).isDirectory();
    steps.push(isFolder ? 'sync folder' : `sync ${fs.fstatSync(fd).size} bytes`);
    sync(fd);
  });
  for (const [name, options] of [
    ['renameSync', { mode: 0o666 }],
    ['linkSync', { mode: 0o666, replaces: false }],
  ] as const) {
    fs.rmSync(path, { force: true });
    steps.length = 0;
    const original = fs[name];
    jest.spyOn(fs, name).mockImplementation((from, to) => {
      steps.push('name');
      original(from, to);
    });
    writeDurably(path, 'content', options);
    expect(steps).toEqual(['sync 7 bytes', 'name', 'sync folder']);
    expect([fs.readFileSync(path, 'utf8'), fs.statSync(path).mode & 0o777]).toEqual(['content', 0o666]);
    expect(fs.readdirSync(folder)).toEqual(['secret']);
  }
});

test('where the disk is full, the old file stays whole and no other one is left', () => {
  const path = join(folder, 'secret');
  writeDurably(path, 'old', { mode: 0o644 });
  jest.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  });
  expect(() => writeDurably(path, 'new', { mode: 0o644 })).toThrow('no space');
  expect([fs.readFileSync(path, 'utf8'), fs.readdirSync(folder)]).toEqual(['old', ['secret']]);
});

test('a file that exists is kept where it must not be replaced', () => {
  const path = join(folder, 'secret');
  for (const content of ['first', 'second']) writeDurably(path, content, { mode: 0o600, replaces: false });
  expect([fs.readFileSync(path, 'utf8'), fs.readdirSync(folder)]).toEqual(['first', ['secret']]);
});
