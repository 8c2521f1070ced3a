/** Loads once; after a failure, again. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Reads a file of the app. */
export const createFile = <T>(url: string, decode: (bytes: Uint8Array) => T): (() => Promise<T>) =>
  loadOnce(async () => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status}`);
    return decode(new Uint8Array(await response.arrayBuffer()));
  });
