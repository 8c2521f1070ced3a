// Bundles the command line with its dependencies into one file, which is what the package contains: it installs without
// a registry. In a checkout, dist/main.js runs.
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const bundle = await rolldown({
  input: at('dist/main.js'),
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
});
await bundle.write({ file: at('dist/claims.mjs'), format: 'esm', minify: true, codeSplitting: false });
await bundle.close();
chmodSync(at('dist/claims.mjs'), 0o755);
