import { AppError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import { opensToolsAlone } from '../domain/key-limits.ts';
import type { ApiRequest } from './dispatch.ts';
import type { ApiServices } from './services.ts';

/**
 * Holds a key with limits to the tools it names: what counts against its limits is known of tools
 * alone. Which tool calls is believed of trusted callers only. Errors: `forbidden`.
 */
export function assertKeyReaches(
  { apiKeys, internal }: Pick<ApiServices, 'apiKeys' | 'internal'>,
  { head, isInternal = false }: Pick<ApiRequest, 'head' | 'isInternal'>,
  { userId, keyId }: { readonly userId: UserId; readonly keyId: string },
): void {
  const limits = apiKeys.limitsOf(userId, keyId);
  if (limits === null || !opensToolsAlone(limits)) return;
  const isOurs = isInternal || internal.isRight(head.headers.get('x-internal-secret') ?? '');
  const tool = isOurs ? (head.headers.get('x-mcp-tool') ?? null) : null;
  if (tool === null)
    throw new AppError('forbidden', 'this API key has limits and opens the tools of MCP alone');
  if (limits.tools !== null && !limits.tools.includes(tool))
    throw new AppError('forbidden', `this API key may not call ${tool}`);
}
