declare module '*.css';
declare module '*.bin?url' {
  const url: string;
  export default url;
}

/** The version of the package; filled in by the build. */
declare const __APP_VERSION__: string;
