import { NODE_SERVER } from '../../../config/limits/node-server.ts';

/** How long Node's server waits for a call, and how much of one it takes. */
export const SERVER_BOUNDS = {
  maxHeaderSize: NODE_SERVER.headBytesMaximum,
  headersTimeout: NODE_SERVER.headMs,
  requestTimeout: NODE_SERVER.requestMs,
  keepAliveTimeout: NODE_SERVER.headMs,
  connectionsCheckingInterval: NODE_SERVER.checkMs,
} as const;
