import { bridge } from './bridge.ts';

const USAGE = '--url http://127.0.0.1:8787/mcp, with the API key in PREDICTD_MCP_KEY';

/**
 * Speaks MCP over this process's standard input and output, passed on to a running daemon. Resolves
 * with null when the client has gone, or with what is wrong with the words it was started with.
 */
export async function runBridge(
  given: readonly string[],
  key: string | undefined,
): Promise<string | null> {
  const [option, url, ...more] = given;
  if (option !== '--url' || url === undefined || more.length > 0 || !/^https?:\/\//.test(url))
    return `usage: ${USAGE}`;
  if (key === undefined) return `no key: ${USAGE}`;
  await bridge({ input: process.stdin, output: process.stdout, url, key });
  return null;
}
