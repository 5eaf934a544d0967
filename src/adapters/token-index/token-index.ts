import { z } from 'zod';
import { TOKEN_INDEX } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address } from '../../domain/ids.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { TokenIndex } from '../../ports/token-index.ts';
import { createHttpCalls, type HttpCalls } from '../wire/http-calls.ts';
import { createRateLimit } from '../wire/rate-limit.ts';
import { readAnswer } from '../wire/read-answer.ts';

/** The vendor's names of the networks (alchemy.com, supported chains). */
const NETWORKS: Readonly<Partial<Record<Web3ChainId, string>>> = {
  ETHEREUM: 'eth-mainnet',
  BASE: 'base-mainnet',
  POLYGON: 'polygon-mainnet',
  BSC: 'bnb-mainnet',
  ARBITRUM: 'arb-mainnet',
};

const answerSchema = z.object({
  result: z.object({
    address: z.string().max(64),
    tokenBalances: z
      .array(
        z.object({
          contractAddress: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
          // null where it could not tell
          tokenBalance: z
            .string()
            .regex(/^0x[0-9a-fA-F]{0,64}$/)
            .nullish(),
        }),
      )
      .max(TOKEN_INDEX.rowsMaximum),
  }),
});

/**
 * Asks an indexer that speaks `alchemy_getTokenBalances` (web3.md section 7). The key is the last
 * part of the path, as the vendor has it, and is in no error.
 */
export function createTokenIndex({
  baseUrl,
  key,
  clock,
  metrics,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  /** With `{network}` where the name of a network comes. */
  readonly baseUrl: string;
  readonly key: string;
}): TokenIndex & { close(): Promise<void> } {
  const { perSecond, burst, waitingMaximum, callTimeoutMs, ...bounds } = TOKEN_INDEX;
  const rate = createRateLimit({ name: 'indexer', clock, perSecond, burst, waitingMaximum });
  const opened = new Map<string, HttpCalls>();
  const callsTo = (network: string): HttpCalls => {
    const known =
      opened.get(network) ??
      createHttpCalls({
        baseUrl: baseUrl.replace('{network}', network),
        connectionsMaximum: bounds.connectionsMaximum,
        keepAliveMs: bounds.keepAliveMs,
        connectTimeoutMs: bounds.connectTimeoutMs,
        answerMaximumBytes: bounds.answerMaximumBytes,
      });
    opened.set(network, known);
    return known;
  };
  return {
    covers: (chain) => NETWORKS[chain] !== undefined,
    async held(chain, owner) {
      const network = NETWORKS[chain];
      if (network === undefined) return [];
      await rate.take();
      const outcome = await callsTo(network).send({
        method: 'POST',
        path: `/${encodeURIComponent(key)}`,
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'alchemy_getTokenBalances',
          params: [owner, 'erc20'],
        }),
        timeoutMs: callTimeoutMs,
      });
      const read = readAnswer(outcome, answerSchema);
      metrics.count('token_data_calls_total', {
        source: 'indexer',
        outcome: read.kind === 'read' ? 'answered' : 'failed',
      });
      if (read.kind !== 'read')
        throw unavailable(read.kind === 'absent' ? 'answered 404' : read.why);
      const { address, tokenBalances } = read.value.result;
      if (address.toLowerCase() !== owner.toLowerCase())
        throw unavailable('answered with another wallet');
      return tokenBalances
        .filter(({ tokenBalance }) => /[1-9a-f]/i.test((tokenBalance ?? '').slice(2)))
        .map(({ contractAddress }) => asId<Address>(contractAddress.toLowerCase()));
    },
    close: async () => void (await Promise.all([...opened.values()].map((calls) => calls.close()))),
  };
}

function unavailable(why: string): AppError {
  return new AppError('token_data_unavailable', `the indexer ${why}`, { retryable: true });
}
