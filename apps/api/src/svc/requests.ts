import type { FirmId } from '@svc/domain';
import { type Command, Option } from 'commander';
import type { Services } from '../composition/container.ts';
import { type RequestContext, requestToWire } from '../http/serialization/developer.ts';
import { parsePositiveInteger, parseUuid } from './arguments.ts';
import { addCommand, findFirm, firmOption, type OutputOptions } from './command.ts';
import { printJson, printTable } from './output.ts';
import type { Sessions } from './session.ts';

export function addRequestsCommand(program: Command, { withService }: Sessions): void {
  addCommand(program, 'requests', "show a firm's recent requests and their errors; kept for two weeks")
    .addOption(firmOption())
    .addOption(new Option('--request-id <id>', 'the value of X-Request-Id').argParser(parseUuid))
    .addOption(
      new Option('--limit <n>', 'how many at most, newest first').argParser(parsePositiveInteger).default(50),
    )
    .action(async (options: OutputOptions & { firm: FirmId; requestId?: string; limit: number }) => {
      const requests = await withService(async (services) => {
        await findFirm(services.operatorReads, options.firm);
        const context = await requestContextOf(services, options.firm);
        const found = await services.requestLog.requestsOf(options.firm, options);
        return found.map((request) => requestToWire(request, context));
      });
      if (options.json) return printJson({ requests });
      printTable(
        requests.map(({ documentation_url: _, place_details: __, ...shown }) => shown),
        'No matching request from this firm in the last two weeks. A request without a valid key is only in the log.',
      );
    });
}

export async function requestContextOf(services: Services, firmId: FirmId): Promise<RequestContext> {
  const keys = await services.operatorReads.keys(firmId);
  const { docsUrl } = services.addresses;
  return { docsUrl, keyNames: new Map(keys.map(({ id, name }) => [id, name])) };
}
