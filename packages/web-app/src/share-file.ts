import { saveFile } from './save-file.ts';

/** Hands a file to another app by the share sheet of the phone; where there is none, saves it. */
export async function shareFile(file: File): Promise<void> {
  if (navigator.canShare?.({ files: [file] }) !== true) return saveFile(file, file.name);
  await navigator.share({ files: [file] }).catch((error: unknown) => {
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
  });
}
