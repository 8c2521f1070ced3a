// `pnpm bench` compares the service with a baseline; `pnpm bench scale` measures growth, overload and more.
const isScale = process.argv[2] === 'scale';
if (isScale) process.argv.splice(2, 1);
await import(isScale ? './scale.ts' : './bench.ts');
