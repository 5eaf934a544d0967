import { AppError } from '../domain/errors.ts';
import { runBridge } from '../mcp/bridge/command.ts';

/**
 * Runs `predictd mcp`, the bridge for clients that cannot speak HTTP. Resolves when the client has
 * gone. Errors: `config_invalid` for other words, an invalid address, and without a key.
 */
export async function runMcpCommand(
  given: readonly string[],
  key: string | undefined,
): Promise<void> {
  const fault = await runBridge(given, key);
  if (fault !== null) throw new AppError('config_invalid', `predictd mcp: ${fault}`);
}
