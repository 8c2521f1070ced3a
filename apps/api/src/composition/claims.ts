import { createReceiptKey } from '@svc/adapter-credentials';
import { claimUseCases, createWriteBuffer, type RunningKeys, Unavailable } from '@svc/application';
import { type Config, decodeKey } from '../config.ts';
import { eventStreams } from '../http/event-streams.ts';
import { createLiveUpdates } from '../http/live-updates.ts';
import { jwksPage } from '../http/receipts/jwks-page.ts';
import { deskBoardRoutes } from '../http/routes/desk-board.ts';
import { deskReadinessRoutes } from '../http/routes/desk-readiness.ts';
import { firmRoutes } from '../http/routes/firm-routes.ts';
import { sandboxRoutes } from '../http/routes/sandbox-routes.ts';
import type { Log } from '../logging.ts';
import { keptFile } from './kept-file.ts';
import type { Ports } from './services.ts';
import { createZipDistance } from './zip-distance.ts';

/** Claims, their offers and receipts, the board of a firm, and its rehearsals. */
export const claims = {
  services: {
    ...claimUseCases,
    runningKeys: (): RunningKeys => new Map(),
    zipDistance: createZipDistance,
    offerBuffer: ({ offerHistory, log }: Ports) =>
      createWriteBuffer({
        keyOf: ({ claimId }) => claimId,
        store: offerHistory,
        onDropped: (count) => log.error('pushes and first reads of offers were dropped', { dropped: count }),
      }),
    boardUpdates: (ports: Ports) => createLiveUpdates(ports.boardReads, ports),
    liveUpdates: (ports: Ports) => createLiveUpdates(ports.appReads, ports),
  },
  routes: [firmRoutes, sandboxRoutes, deskBoardRoutes, deskReadinessRoutes],
  pages: [eventStreams, jwksPage],
};

/** Other processes may have other keys: all public ones are in the database. */
export const receiptKeyOf =
  ({ receiptKey, dataDir }: Config, log: Log): (() => Uint8Array) =>
  () => {
    if (receiptKey !== null) return receiptKey;
    try {
      return decodeKey('receipt-key in DATA_DIR', keptFile(dataDir, 'receipt-key', createReceiptKey));
    } catch (error) {
      log.error('receipts need RECEIPT_KEY or a writable DATA_DIR', { error: (error as Error).message });
      throw new Unavailable('No key for receipts is available.');
    }
  };
