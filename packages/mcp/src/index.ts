export { createMcpServer, type McpServerOptions, type ToolResult } from './server.ts';
export { createTools, type OperationRequest, type Tool, type ToolOptions } from './tools.ts';
