// `pnpm test:attack` attacks a real service; `pnpm test:attack fuzz` sends it generated requests.
const isFuzz = process.argv[2] === 'fuzz';
if (isFuzz) process.argv.splice(2, 1);
await import(isFuzz ? './fuzz.ts' : './attacks.ts');
