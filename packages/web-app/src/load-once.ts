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

/** Whether a file, no page, has arrived: the sign-in page of a network also has status 200. */
export const isFile = ({ ok, headers }: Response): boolean =>
  ok && !/html/.test(headers.get('content-type') ?? '');

/** Reads a file of the app. */
export const createFile = <T>(url: string, decode: (bytes: Uint8Array) => T): (() => Promise<T>) =>
  loadOnce(async () => {
    const response = await fetch(url);
    if (!isFile(response)) throw new Error(`${response.status}`);
    return decode(new Uint8Array(await response.arrayBuffer()));
  });
