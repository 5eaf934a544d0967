import { LAUNCH } from '../../config/limits/launches.ts';
import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { createRouter } from '../adapters/router/router.ts';
import { createDexScreener } from '../adapters/token-data/dex-screener.ts';
import { createGeckoTerminal } from '../adapters/token-data/gecko-terminal.ts';
import { createTokenIndex } from '../adapters/token-index/token-index.ts';
import type { UserId } from '../domain/ids.ts';
import type { TokenPrice } from '../domain/token-price.ts';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Router, RouterTokens } from '../ports/router.ts';
import type { TokenIndex } from '../ports/token-index.ts';
import type { TokenData } from '../ports/token-data.ts';
import { tokensLaunched } from '../services/launches/launch-records.ts';
import { createRealtime, type Realtime, type WatchAsset } from '../services/tokens/realtime.ts';
import { createTokenLists, type TokenLists } from '../services/tokens/token-lists.ts';
import {
  createTokenLookups,
  type LaunchedToken,
  type TokenLookups,
} from '../services/tokens/token-lookups.ts';
import { createTokenPrices, type TokenPrices } from '../services/tokens/token-prices.ts';
import type { Core } from './core.ts';
import type { OpenRuntime } from './runtime.ts';

/** Token data and the router behind ports. */
export interface TokenSources {
  readonly data: TokenData;
  readonly router: RouterTokens & Router;
  /** Null where no indexer is set. */
  readonly index: TokenIndex | null;
  close(): Promise<void>;
}

/**
 * Opens the sources of token data. Their calls are counted in wall time. Nothing is called
 * before a port is used.
 */
export function openTokenSources(
  endpoints: Endpoints,
  { routerKey, geckoKey, indexer }: Profile['credentials'],
  { clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics },
): TokenSources {
  const rankings = createGeckoTerminal({
    baseUrl: endpoints.geckoTerminal,
    key: geckoKey,
    clock,
    metrics,
  });
  const pairs = createDexScreener({ baseUrl: endpoints.dexScreener, clock, metrics });
  const router = createRouter({ baseUrl: endpoints.router, key: routerKey, clock, metrics });
  const index =
    indexer === null
      ? null
      : createTokenIndex({ baseUrl: indexer.url, key: indexer.key, clock, metrics });
  return {
    data: { ...rankings, ...pairs },
    router,
    index,
    close: async () => {
      await Promise.all([rankings, pairs, router, index].map((source) => source?.close()));
    },
  };
}

/** The services of tokens. */
export interface Tokens {
  /** What routes ask. */
  readonly api: Pick<TokenLists, 'rank'> & TokenLookups;
  readonly prices: TokenPrices;
  readonly realtime: Realtime;
  /** Tokens a user has launched. */
  readonly launchedBy: (userId: UserId) => readonly LaunchedToken[];
  stop(): void;
}

/**
 * Joins the services of tokens. The exchange's prices may be shown, the oracle's may not (feeds.md
 * section 2.1).
 */
export function createTokens(
  { data, router }: TokenSources,
  core: Pick<Core, 'exchange'>,
  {
    store,
    wallClock: clock,
    log,
    marketTime,
    random,
  }: Pick<OpenRuntime, 'store' | 'wallClock' | 'log' | 'marketTime' | 'random'>,
): Tokens {
  const launchedBy: Tokens['launchedBy'] = (userId) =>
    tokensLaunched(store, userId).map(({ mint: address, symbol, name }) => ({
      address,
      symbol,
      name,
      decimals: LAUNCH.decimals,
    }));
  const lists = createTokenLists({ data, clock, log });
  const watchAsset: WatchAsset = (asset, onChange) => {
    const subscription = core.exchange.price(asset).subscribe((reading) =>
      onChange(
        reading === null
          ? null
          : {
              priceE18: BigInt(reading.value) * 10n ** 10n,
              atMs: marketTime.toWallMs(reading.sourceAtMs),
            },
      ),
    );
    return () => subscription.unsubscribe();
  };
  const prices = createTokenPrices({
    data,
    assetPrice(asset) {
      const current: { price: TokenPrice | null } = { price: null };
      watchAsset(asset, (price) => (current.price = price))();
      return current.price;
    },
    clock,
    log,
  });
  const realtime = createRealtime({
    watchAsset,
    prices,
    clock,
    epoch: Buffer.from(random.bytes(6)).toString('hex'),
  });
  return {
    api: { ...lists, ...createTokenLookups({ data, router, launchedBy, clock }) },
    prices,
    realtime,
    launchedBy,
    stop() {
      lists.stop();
      realtime.stop();
    },
  };
}
