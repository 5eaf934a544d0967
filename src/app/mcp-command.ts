import { AppError } from '../domain/errors.ts';
import { bridge } from '../mcp/stdio-bridge.ts';

const USAGE =
  'usage: predictd mcp --url http://127.0.0.1:8787/mcp, with the API key in PREDICTD_MCP_KEY';

/**
 * Runs `predictd mcp`: MCP over standard input and output for clients that cannot speak HTTP,
 * passed on to a running daemon. Resolves when the client has gone. Errors: `config_invalid` for
 * other words, an address that is none, and without a key.
 */
export async function runMcpCommand(
  given: readonly string[],
  key: string | undefined,
): Promise<void> {
  const [option, url, ...more] = given;
  if (option !== '--url' || url === undefined || more.length > 0 || !/^https?:\/\//.test(url))
    throw new AppError('config_invalid', USAGE);
  if (key === undefined) throw new AppError('config_invalid', `no key: ${USAGE}`);
  await bridge({ input: process.stdin, output: process.stdout, url, key });
}
