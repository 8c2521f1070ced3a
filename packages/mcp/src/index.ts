export { createMcpServer, type McpServerOptions, type ToolResult } from './server.ts';
export { createTools, type OperationRequest, type Tool } from './tools.ts';
