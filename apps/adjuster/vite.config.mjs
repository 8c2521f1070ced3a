import { viteConfig } from '@svc/web-app/build/vite-config';

const API_PATHS = '^/app/(v1/|sessions?$|events$|sign-in-codes$|passkey-options$|push-key$)';

export default viteConfig(import.meta.dirname, '/app', API_PATHS, true);
