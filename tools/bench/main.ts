// `pnpm bench` compares the service with a baseline; `pnpm bench scale` measures growth, costs and a storm.
const isScale = process.argv[2] === 'scale';
if (isScale) process.argv.splice(2, 1);
await import(isScale ? './scale.ts' : './bench.ts');
