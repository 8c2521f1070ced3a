// Fails unless all published packages have the version of the tag, in their manifest and their changelog.
import { existsSync, readFileSync } from 'node:fs';

const PUBLISHED = ['packages/domain', 'packages/contract', 'packages/client', 'apps/claims'];

const version = process.argv[2]?.replace(/^v/, '');
const errors = PUBLISHED.flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const changelog = `${folder}/CHANGELOG.md`;
  return [
    manifest.version !== version && `${folder}: package.json has version ${manifest.version}`,
    existsSync(changelog) &&
      !readFileSync(changelog, 'utf8').includes(`\n## ${version}\n`) &&
      `${changelog} has no section ${version}`,
  ].filter(Boolean);
});
if (errors.length > 0) {
  console.error(`The tag is ${process.argv[2]}:\n${errors.join('\n')}`);
  process.exitCode = 1;
}
