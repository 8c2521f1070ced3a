import { createWriteBuffer, makeRunJob, operationUseCases } from '@svc/application';
import { docsPages } from '../http/docs/pages.ts';
import { createRejectionPace } from '../http/limits/rejection-pace.ts';
import { deskAuditRoutes } from '../http/routes/desk-audit.ts';
import { statusPage } from '../http/status/page.ts';
import type { Ports } from './services.ts';

/** Ten seconds of reads at full load. Reads need the database too, so the trail falls behind only while it is slow. */
const AUDIT_BUFFER_CAPACITY = 100_000;

/** What operators do and see, jobs, and the audit trail. */
export const operation = {
  services: {
    ...operationUseCases,
    runJob: makeRunJob,
    auditBuffer: ({ audit, log }: Ports) =>
      createWriteBuffer({
        keyOf: ({ chain }) => chain,
        store: audit,
        capacity: AUDIT_BUFFER_CAPACITY,
        onDropped: (count) => log.error('events were dropped from the audit trail', { dropped: count }),
      }),
    rejectionPace: ({ pause }: Ports) => createRejectionPace({ now: () => performance.now(), pause }),
  },
  routes: [deskAuditRoutes],
  pages: [docsPages, statusPage],
};
