import type { JsonValue } from '../domain/json-value.ts';
import type { DirectCalls } from '../http/direct-calls.ts';
import type { Answer } from '../http/respond.ts';
import type { KeyActivity } from '../services/api-keys/key-activity.ts';
import type { ApiKeys } from '../services/api-keys/api-keys.ts';
import type { Backend } from './backend.ts';

/**
 * Calls the routes of this process through their own dispatch: the same checks, budgets and answers
 * as for callers outside.
 */
export function createLocalBackend({
  direct,
  apiKeys,
  keyActivity,
}: {
  readonly direct: DirectCalls;
  readonly apiKeys: Pick<ApiKeys, 'authenticate' | 'exchange'>;
  readonly keyActivity: Pick<KeyActivity, 'record'>;
}): Backend {
  return {
    async authenticate(key) {
      const { keyId, userId, scopes, limits } = await apiKeys.authenticate(key);
      return {
        keyId,
        userId,
        scopes,
        tools: limits.tools,
        venues: limits.venues,
        token: async () => (await apiKeys.exchange(key)).accessToken,
      };
    },
    record: (call) => keyActivity.record(call),
    call: async ({ method, path, query, body, token, tool, headers, requestId }) =>
      readAnswer(
        await direct({
          method,
          path,
          query,
          body,
          headers: { ...headers, authorization: `Bearer ${token}`, 'x-mcp-tool': tool },
          address: 'mcp',
          requestId,
        }),
      ),
  };
}

function readAnswer({ status, headers, body }: Answer): Awaited<ReturnType<Backend['call']>> {
  // what the routes of tools answer is JSON, written by this process a moment ago
  const value = typeof body === 'string' && body !== '' ? (JSON.parse(body) as JsonValue) : null;
  return { status, headers, body: value };
}
