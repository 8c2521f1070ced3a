import { useEffect, useRef, useState } from 'preact/hooks';
import { drafts, storage } from '../app.ts';
import { hasEntries, type WorkEntries } from '../model/work-edits.ts';

/** Unsaved entries, stored on the device until they are saved. */
export function useDraft(
  claimId: string,
): [WorkEntries, (change: (before: WorkEntries) => WorkEntries) => void] {
  const name = `draft:${claimId}` as const;
  const [draft, setDraft] = useState<WorkEntries>({});
  const latest = useRef<WorkEntries>({});
  const update = (change: (before: WorkEntries) => WorkEntries): void => {
    latest.current = change(latest.current);
    setDraft(latest.current);
    const stored = hasEntries(latest.current) ? storage.put(name, latest.current) : storage.remove(name);
    void stored.catch(() => {});
  };
  const rejected = drafts.rejections.value;
  const seen = useRef(rejected);
  useEffect(() => {
    // Entries typed while this was loading are newer, but what the service rejected was added to all that was typed.
    const isNewer = rejected !== seen.current;
    seen.current = rejected;
    void storage
      .get(name)
      .then(
        (stored) =>
          stored !== undefined &&
          update((typed) => (isNewer ? { ...typed, ...stored } : { ...stored, ...typed })),
      )
      .catch(() => {});
  }, [name, rejected]);
  return [draft, update];
}
