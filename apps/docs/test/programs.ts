// The programs in docs/quick-starts, in the languages that are installed.
import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findCommand } from '../../../tools/services/debian-package.ts';

const fileAt = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

type Command = readonly [string, ...string[]];

interface Language {
  readonly language: string;
  /** Programs that must be installed. */
  readonly needs: readonly string[];
  readonly compile?: (file: string) => Command;
  readonly run: (file: string) => Command;
}

const TSC = [fileAt('node_modules/typescript/bin/tsc'), '--strict', '--module', 'nodenext'];
const TYPES = ['--typeRoots', fileAt('node_modules/@types'), '--types', 'node'];

const LANGUAGES: Readonly<Record<string, Language>> = {
  '.py': { language: 'Python', needs: ['python3'], run: (file) => ['python3', file] },
  '.mts': {
    language: 'TypeScript',
    needs: [],
    compile: (file) => [process.execPath, ...TSC, '--target', 'es2022', '--outDir', 'out', ...TYPES, file],
    run: (file) => [process.execPath, join('out', file.replace('.mts', '.mjs'))],
  },
  '.java': {
    language: 'Java',
    needs: ['java', 'javac'],
    // Half the processor time, for a program that runs for seconds.
    run: (file) => ['java', '-XX:TieredStopAtLevel=1', file],
  },
  '.cs': {
    language: 'C#',
    needs: ['mcs', 'mono'],
    compile: (file) => ['mcs', '-r:System.Net.Http', '-r:System.Runtime.Serialization', file],
    run: (file) => ['mono', file.replace('.cs', '.exe')],
  },
};

export interface Program {
  readonly language: string;
  readonly command: Command;
  /** Copies it to the folder, and compiles it there. */
  compileIn(folder: string): Promise<void>;
}

export const installedPrograms = (files: readonly string[]): Program[] =>
  files.flatMap((file) => {
    const { language, needs, compile, run } = LANGUAGES[extname(file)] as Language;
    if (!needs.every((command) => findCommand(command))) return [];
    const compileIn = async (folder: string): Promise<void> => {
      await copyFile(join(fileAt('docs/quick-starts'), file), join(folder, file));
      if (compile === undefined) return;
      const [compiler, ...args] = compile(file);
      await promisify(execFile)(compiler, args, { cwd: folder });
    };
    return [{ language, command: run(file), compileIn }];
  });
