import { useState } from 'preact/hooks';
import { useApp } from './app-context.ts';

/** Whether a task is under way, and how to do one. Its error is shown, where `failed` does not say it otherwise. */
export function useBusy(
  initially = false,
): [busy: boolean, during: (task: () => unknown, failed?: (error: unknown) => unknown) => Promise<void>] {
  const { showError } = useApp().toasts;
  const [busy, setBusy] = useState(initially);
  const during = async (task: () => unknown, failed = showError as (error: unknown) => unknown) => {
    setBusy(true);
    try {
      await task();
    } catch (error) {
      await failed(error);
    } finally {
      setBusy(false);
    }
  };
  return [busy, during];
}
