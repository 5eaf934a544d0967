import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
} from '@modelcontextprotocol/client';
import {
  Client as OlderClient,
  StreamableHTTPClientTransport as OlderTransport,
} from '../peers/mcp-client-v1.ts';
import {
  confirmationRow,
  confirmationShape,
  estimateRow,
  estimateShape,
  madeOrderRow,
  orderShape,
} from '../../src/mcp/rows/orders.ts';
import { MOVES_MONEY, type Tool } from '../../src/mcp/tool.ts';
import type { TestApi } from '../http/api.ts';

/** Generations of the protocol, as a client asks for them. */
export type Generation = 'modern' | 'legacy' | 'older';

/** A tool that places orders at the venue every test API has. */
export const ORDER_TOOL: Tool = {
  name: 'test_order',
  title: 'Order',
  description: 'Place an order.',
  operationId: 'placeOrder',
  answer: { row: madeOrderRow, shape: orderShape },
  preview: { operationId: 'estimateOrder', row: estimateRow, shape: estimateShape },
  propose: { operationId: 'proposeOrder', row: confirmationRow, shape: confirmationShape },
  follow: { operationId: 'getOrder', id: 'id' },
  scope: 'trade',
  annotations: MOVES_MONEY,
  budget: 'money',
};

/** A market order of five dollars. */
export const FIVE_DOLLARS = (marketId: string) => ({
  marketId,
  side: 'yes',
  amount: '5',
  orderType: 'market',
});

/** Makes a key with these scopes for a signed-in user, by the call people make it with. */
export async function makeKey(
  api: TestApi,
  token: string,
  wanted: Readonly<Record<string, unknown>>,
): Promise<{ readonly key: string; readonly keyId: string }> {
  const { status, body } = await api.request('POST', '/api/user/keys/', {
    token,
    body: { name: 'assistant', ...wanted },
  });
  if (status !== 201) throw new Error(`no key was made: ${JSON.stringify(body)}`);
  return { key: String(body['key']), keyId: String(body['keyId']) };
}

/** Connects the SDK's own client, or the older one that many assistants have. */
export async function connect(
  url: string,
  key: string,
  generation: Generation = 'modern',
  { opensPage }: { readonly opensPage?: (url: string) => Promise<void> } = {},
): Promise<Client> {
  if (generation === 'older') return connectOlder(url, key);
  const client = new Client(
    { name: 'test', version: '1' },
    {
      ...(generation === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
      ...(opensPage === undefined ? {} : { capabilities: { elicitation: { url: {} } } }),
    },
  );
  if (opensPage !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      await opensPage('url' in params ? String(params.url) : '');
      return { action: 'accept' };
    });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

async function connectOlder(url: string, key: string): Promise<Client> {
  const older = new OlderClient({ name: 'test', version: '1' });
  const transport = new OlderTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await older.connect(transport as Parameters<typeof older.connect>[0]);
  // what tests ask of either is the same
  return older as unknown as Client;
}

/** What a tool answered, as tests read it. */
export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Calls a tool, and gives its text and its structured content. */
export async function callTool(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<Called> {
  const result: CallToolResult = await client.callTool({ name, arguments: given });
  const [first] = result.content;
  return {
    isError: result.isError === true,
    text: first?.type === 'text' ? first.text : '',
    value: Object(result.structuredContent ?? {}),
  };
}

/** A message of the modern generation, ready to be posted. */
export function modernMessage(method: string, params: Readonly<Record<string, unknown>> = {}) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      },
    },
  };
}

/** Posts one message as it is. */
export function post(
  api: TestApi,
  {
    key,
    message = modernMessage('tools/list'),
    rawBody,
    headers = {},
  }: {
    readonly key?: string;
    readonly message?: ReturnType<typeof modernMessage>;
    readonly rawBody?: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
) {
  const name = 'name' in message.params ? String(message.params['name']) : null;
  return api.request('POST', '/mcp', {
    rawBody: rawBody ?? JSON.stringify(message),
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': message.method,
      ...(name === null ? {} : { 'mcp-name': name }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
}
