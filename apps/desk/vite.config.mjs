import { viteConfig } from '@svc/web-app/build/vite-config';

export default viteConfig(
  import.meta.dirname,
  '/firm',
  '^/firm/(v1/|sessions?$|sign-in-codes$|passkey-options$)',
);
