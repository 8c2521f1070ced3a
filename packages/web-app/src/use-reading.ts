import { useEffect } from 'preact/hooks';

/** Reads now and when `inputs` change. What an earlier reading finds after that is ignored. */
export function useReading<T>(
  read: () => Promise<T>,
  found: (value: T) => void,
  failed: (error: unknown) => void,
  inputs: readonly unknown[],
): void {
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (value) => isCurrent && found(value),
      (error: unknown) => isCurrent && failed(error),
    );
    return () => {
      isCurrent = false;
    };
  }, inputs);
}
