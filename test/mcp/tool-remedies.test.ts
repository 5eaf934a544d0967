import { expect, it } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { toolRemedy } from '../../src/mcp/tool-remedies.ts';

/** The name that the calls of all venues begin with. */
const withoutVenue = (operationId: string) => operationId.replace(/Venue[A-Z]\w*$/, '');

it('a limit of the key is said to be fixed, one of the user to be theirs to raise', () => {
  const texts = ["this API key's limit is 50 USDC", 'your limit is 50 USDC'].map((detail) =>
    toolRemedy('cap_exceeded', detail),
  );
  expect(texts).toEqual([
    'Ask for less: limits of a key are fixed, and for others the user makes another key.',
    'Ask for less; the user raises their limits in the application.',
  ]);
});

it('a wallet without coin for gas is said to need it, and not to become ready by itself', () => {
  expect(toolRemedy('wallet_not_ready', 'a trade with a pool needs ETH for gas')).toBe(
    'Where coin for gas is named here, the user sends it to that wallet; all else comes by itself. Repeat the call then.',
  );
});

it('what a tool may refuse says what to do in words of tools, none of them of HTTP', () => {
  const used = new Set(
    TOOLS.flatMap(({ operationId, preview, propose, follow }) => [
      operationId,
      preview?.operationId,
      propose?.operationId,
      follow?.operationId,
    ]),
  );
  const codes = routeTable
    .filter(({ operationId }) => used.has(operationId) || used.has(withoutVenue(operationId)))
    .flatMap(({ errors }) => errors);
  const remedies = ['invalid_request', 'rate_limited', 'forbidden', ...codes] as const;
  const texts = remedies.map((code) => [code, toolRemedy(code)] as const);
  expect(texts.length).toBeGreaterThan(20);
  expect(
    texts.filter(([, text]) =>
      /\b(GET|POST|PUT|DELETE)\b|\/api\/|[Hh]eader|Idempotency|Retry-After|RateLimit|Prefer|`(errors|detail|link|path|retryable)`/.test(
        text,
      ),
    ),
  ).toEqual([]);
});
