import { requestLogSuite } from '@svc/testkit';
import { createMemoryRequestLog } from '../src/request-log.ts';

requestLogSuite('the memory adapter', async () => ({ store: createMemoryRequestLog() }));
