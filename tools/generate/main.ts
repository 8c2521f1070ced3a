// `pnpm generate` prints fictional claims; `pnpm generate openfema` those of an OpenFEMA file.
const isOpenFema = process.argv[2] === 'openfema';
if (isOpenFema) process.argv.splice(2, 1);
await import(isOpenFema ? '../openfema/main.ts' : './fictional.ts');
