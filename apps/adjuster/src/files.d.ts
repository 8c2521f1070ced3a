declare module '*.css';
declare module '*.bin?url' {
  const url: string;
  export default url;
}

/** Its types do not belong to this path in its package.json. */
declare module 'fake-indexeddb/auto';

/** The version of the package; filled in by the build. */
declare const __APP_VERSION__: string;
