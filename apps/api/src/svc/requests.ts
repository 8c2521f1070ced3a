import type { FirmId } from '@svc/domain';
import { type Command, Option } from 'commander';
import { requestToWire } from '../http/serialization/developer.ts';
import { parsePositiveInteger, parseUuid } from './arguments.ts';
import { addCommand, findFirm, firmOption, type OutputOptions } from './command.ts';
import { printJson, printTable } from './output.ts';
import { withService } from './session.ts';

export function addRequestsCommand(program: Command): void {
  addCommand(program, 'requests', "show a firm's recent requests and their errors; kept for two weeks")
    .addOption(firmOption())
    .addOption(new Option('--request-id <id>', 'the value of X-Request-Id').argParser(parseUuid))
    .addOption(
      new Option('--limit <n>', 'how many at most, newest first').argParser(parsePositiveInteger).default(50),
    )
    .action(async (options: OutputOptions & { firm: FirmId; requestId?: string; limit: number }) => {
      const requests = await withService(async (services) => {
        await findFirm(services.get('operatorReads'), options.firm);
        return services.get('requestLog').requestsOf(options.firm, options);
      });
      const documents = requests.map(requestToWire);
      if (options.json) return printJson({ requests: documents });
      printTable(
        documents,
        'No matching request from this firm in the last two weeks. A request without a valid key is only in the log.',
      );
    });
}
