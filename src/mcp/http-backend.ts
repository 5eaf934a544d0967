import { z } from 'zod';
import { MCP } from '../../config/limits/mcp.ts';
import { AppError } from '../domain/errors.ts';
import { asId, type UserId, type VenueId } from '../domain/ids.ts';
import type { JsonValue } from '../domain/json-value.ts';
import { KEY_SCOPES } from '../ports/identity.ts';
import type { Backend, BackendAnswer } from './backend.ts';

const tokenIn = z.object({
  userId: z.string(),
  keyId: z.string(),
  scopes: z.array(z.enum(KEY_SCOPES)),
  tools: z.array(z.string()).nullable(),
  venues: z.array(z.string().transform((text) => asId<VenueId>(text))).nullable(),
  accessToken: z.string(),
});

/**
 * Calls the routes of a service over HTTP, as one of its own services. Errors of calls: `not_ready`
 * where it is not reached.
 */
export function createHttpBackend({
  url,
  secret,
}: {
  /** Without a trailing slash. */
  readonly url: string;
  /** Shown as X-Internal-Secret with every call. */
  readonly secret: string;
}): Backend {
  const send = async (
    path: string,
    { method, headers = {}, body }: Sent,
  ): Promise<BackendAnswer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...headers,
        'x-internal-secret': secret,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(MCP.callTimeoutMs),
    }).catch((cause: unknown) => {
      throw unreached(cause);
    });
    return { status: response.status, headers: headersOf(response), body: await bodyOf(response) };
  };
  return {
    async authenticate(key) {
      const { status, body } = await send('/internal/api-keys/exchange', {
        method: 'POST',
        body: { key: key === '' ? '-' : key },
      });
      if (status === 401 && Object(body).code === 'api_key_invalid')
        throw new AppError('api_key_invalid', 'the API key is not valid');
      const token = tokenIn.safeParse(body);
      if (status !== 200 || !token.success) throw unreached(`status ${status}`);
      const { userId, accessToken, ...access } = token.data;
      return { ...access, userId: asId<UserId>(userId), token: async () => accessToken };
    },
    call: ({ method, path, query, body, token, tool, headers }) => {
      const asked = new URLSearchParams(query).toString();
      return send(asked === '' ? path : `${path}?${asked}`, {
        method,
        headers: { ...headers, authorization: `Bearer ${token}`, 'x-mcp-tool': tool },
        body,
      });
    },
    async record(call) {
      const { status } = await send('/internal/api-keys/activity', {
        method: 'POST',
        body: { ...call },
      });
      if (status !== 204) throw unreached(`status ${status}`);
    },
  };
}

interface Sent {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue | undefined;
}

function headersOf({ headers }: Response): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.entries());
}

async function bodyOf(response: Response): Promise<JsonValue> {
  const text = await response.text().catch((cause: unknown) => {
    throw unreached(cause);
  });
  try {
    // JSON is what it is
    return text === '' ? null : (JSON.parse(text) as JsonValue);
  } catch (cause) {
    throw unreached(cause);
  }
}

function unreached(cause: unknown): AppError {
  return new AppError('not_ready', 'the service behind the tools was not reached', {
    cause,
    retryable: true,
    retryAfterMs: 1_000,
  });
}
