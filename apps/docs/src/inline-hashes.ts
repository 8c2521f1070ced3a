import { createHash } from 'node:crypto';

/** Of inline scripts and styles of pages, for the Content-Security-Policy. */
export function inlineHashes(pages: readonly string[]): { scripts: string[]; styles: string[] } {
  const hashes = (pattern: RegExp): string[] => {
    const found = pages.flatMap((html) => [...html.matchAll(pattern)].map(([, text = '']) => text));
    return [...new Set(found)].map(
      (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
  };
  return {
    scripts: hashes(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs),
    styles: hashes(/ style="([^"]*)"/g),
  };
}
