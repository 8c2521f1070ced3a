export { createMcpServer, type ToolResult } from './server.ts';
export { createTools, type OperationRequest } from './tools.ts';
