import type { z } from 'zod';
import { ROUTER } from '../../../config/limits/tokens.ts';
import { plainDecimal } from '../../domain/decimal-text.ts';
import { AppError } from '../../domain/errors.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RoutedToken, RouterTokens } from '../../ports/router.ts';
import { createHttpCalls } from '../wire/http-calls.ts';
import { createRateLimit } from '../wire/rate-limit.ts';
import { tokenSchema, tokensSchema } from './schema.ts';

/** Ids of the chains at the router (web3.md section 1). */
export const ROUTER_CHAIN_IDS: Readonly<Record<Web3ChainId, number>> = {
  ETHEREUM: 1,
  BASE: 8_453,
  POLYGON: 137,
  BSC: 56,
  ARBITRUM: 42_161,
  SOLANA: 1_151_111_081_099_710,
};

/** What stands for a chain's own coin there. */
const COINS: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '11111111111111111111111111111111',
]);

/** Where the router is. */
export interface RouterOptions {
  /** With its version. */
  readonly baseUrl: string;
  readonly key: string | null;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Speaks to the router (LI.FI's interface, web3.md section 2). Nothing it says is authority. */
export function createRouter({
  baseUrl,
  key,
  clock,
  metrics,
}: RouterOptions): RouterTokens & { close(): Promise<void> } {
  const { connectionsMaximum, keepAliveMs, connectTimeoutMs, answerMaximumBytes, callTimeoutMs } =
    ROUTER;
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum,
    keepAliveMs,
    connectTimeoutMs,
    answerMaximumBytes,
    headers: {
      'x-lifi-integrator': 'predictd',
      ...(key === null ? {} : { 'x-lifi-api-key': key }),
    },
  });
  const rate = createRateLimit({
    name: 'router',
    clock,
    perSecond: ROUTER.perSecond,
    burst: ROUTER.burst,
    waitingMaximum: ROUTER.waitingMaximum,
  });

  /** Null on 404. */
  async function get<Schema extends z.ZodType>(
    call: string,
    path: string,
    schema: Schema,
  ): Promise<z.output<Schema> | null> {
    await rate.take();
    const outcome = await calls.send({ method: 'GET', path, timeoutMs: callTimeoutMs });
    const isAbsent = outcome.kind === 'answered' && outcome.status === 404;
    const read =
      outcome.kind === 'answered' && outcome.status === 200
        ? schema.safeParse(parsed(outcome.text))
        : null;
    metrics.count('router_calls_total', {
      call,
      outcome: isAbsent || read?.success === true ? 'answered' : 'failed',
    });
    if (isAbsent) return null;
    if (read?.success === true) return read.data;
    const why =
      outcome.kind !== 'answered'
        ? `did not answer: ${outcome.cause}`
        : read === null
          ? `answered ${outcome.status}`
          : 'answered in another shape';
    throw new AppError('router_unavailable', `the router ${why}`, { retryable: true });
  }

  return {
    close: () => calls.close(),
    async tokens({ chains, search, limit }) {
      const ids = chains.map((chain) => ROUTER_CHAIN_IDS[chain]).join(',');
      const words = search === '' ? '' : `&search=${encodeURIComponent(search)}`;
      const answer = await get(
        'tokens',
        `/tokens?chains=${ids}&limit=${limit}&orderBy=volumeUSD24H&extended=true${words}`,
        tokensSchema,
      );
      const rows = chains.flatMap((chain) =>
        (answer?.tokens[String(ROUTER_CHAIN_IDS[chain])] ?? []).map((token) =>
          routed(chain, token),
        ),
      );
      return rows.sort(
        (one, other) => Number(other.volume24hUsd ?? 0) - Number(one.volume24hUsd ?? 0),
      );
    },
    async token(chain, token) {
      const answer = await get(
        'token',
        `/token?chain=${ROUTER_CHAIN_IDS[chain]}&token=${encodeURIComponent(token)}`,
        tokenSchema,
      );
      if (answer !== null && answer.chainId !== ROUTER_CHAIN_IDS[chain])
        throw new AppError(
          'router_unavailable',
          'the router answered with a token of another chain',
          {
            retryable: true,
          },
        );
      return answer === null ? null : routed(chain, answer);
    },
  };
}

function routed(chain: Web3ChainId, token: z.output<typeof tokenSchema>): RoutedToken {
  const { address, symbol, name, decimals, priceUSD, marketCapUSD, volumeUSD24H } = token;
  return {
    chain,
    address: COINS.has(address) ? null : address,
    symbol,
    name,
    decimals,
    priceUsd: figure(priceUSD, 30),
    marketCapUsd: figure(marketCapUSD, 2),
    volume24hUsd: figure(volumeUSD24H, 2),
  };
}

function figure(value: string | number | null | undefined, decimals: number): string | null {
  const plain = value === null || value === undefined ? null : plainDecimal(value, decimals);
  return plain === null || plain.startsWith('-') ? null : plain;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
