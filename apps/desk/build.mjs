import { buildIfChanged } from '@svc/web-app/build/build-if-changed';

await buildIfChanged(import.meta.dirname);
