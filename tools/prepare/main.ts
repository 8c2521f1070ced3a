// `pnpm prepare`: writes what git does not have, since it follows from sources: the types of the SDK and the rules of the
// domain. Installing, `build`, `types` and `test` do it first.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { GENERATED } from './files.ts';

for (const { file, text } of GENERATED) {
  const generated = text();
  // Programs that watch sources notice only a change.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== generated) writeFileSync(file, generated);
}
