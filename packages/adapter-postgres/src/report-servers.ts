import { type DatabaseUrl, type ServerReport, Servers } from './driver/servers.ts';
import { SILENT } from './log.ts';

/** Which of the servers accepts writes, and what is wrong with the others. */
export const reportServers = (url: DatabaseUrl): Promise<ServerReport[]> =>
  new Servers(url, SILENT, 0).report();
