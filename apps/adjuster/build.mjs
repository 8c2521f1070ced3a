import { buildIfChanged } from '@svc/web-app/build/build-if-changed';

await buildIfChanged(import.meta.dirname, (names, version) => {
  const lazy = names.filter((name) => name.endsWith('.bin'));
  const needed = names.filter(
    (name) => (name.startsWith('assets/') && !lazy.includes(name)) || /\.(svg|webmanifest)$/.test(name),
  );
  return {
    entry: 'src/service-worker.ts',
    define: {
      __FILES__: JSON.stringify([...needed, 'icon-192.png', 'badge-96.png']),
      __LAZY_FILES__: JSON.stringify(lazy),
      __VERSION__: JSON.stringify(version),
    },
  };
});
