import type { TypedName } from './storage.ts';

/** Tabs and the service worker send each other messages about what has changed. */
export type TabMessage =
  | { readonly kind: 'outbox' }
  /** What is typed and not sent. */
  | { readonly kind: 'typed'; readonly name: TypedName }
  | { readonly kind: 'open'; readonly hash: string }
  /** Who is signed in now; null when nobody is. */
  | { readonly kind: 'session'; readonly svcId: string | null };

export interface Tabs {
  /** To the other tabs, and to this one. */
  notify(message: TabMessage): void;
  listen(receive: (message: TabMessage) => void): void;
}

const open = (): BroadcastChannel => new BroadcastChannel('claims');

export const tabs: Tabs = {
  notify(message) {
    const channel = open();
    channel.postMessage(message);
    channel.close();
  },
  listen: (receive) =>
    open().addEventListener('message', ({ data }: MessageEvent<TabMessage>) => receive(data)),
};
