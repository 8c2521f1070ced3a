/** Headers of every response; pages and files replace some of them. Browsers neither render nor frame the others. */
export const DEFAULT_HEADERS = [
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
] as const;
