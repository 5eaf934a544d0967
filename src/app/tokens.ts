import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { createRouter } from '../adapters/router/router.ts';
import { createDexScreener } from '../adapters/token-data/dex-screener.ts';
import { createGeckoTerminal } from '../adapters/token-data/gecko-terminal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RouterTokens } from '../ports/router.ts';
import type { TokenData } from '../ports/token-data.ts';
import type { TokenLists } from '../services/tokens/token-lists.ts';
import { createTokenLists } from '../services/tokens/token-lists.ts';
import type { TokenLookups } from '../services/tokens/token-lookups.ts';
import { createTokenLookups } from '../services/tokens/token-lookups.ts';
import type { Runtime } from './runtime.ts';

/** Token data and the router behind ports. */
export interface TokenSources {
  readonly data: TokenData;
  readonly router: RouterTokens;
  close(): Promise<void>;
}

/** Opens the sources of token data. Their calls are counted in people's time. Nothing is called before a port is used. */
export function openTokenSources(
  endpoints: Endpoints,
  { routerKey, geckoKey }: Profile['credentials'],
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
  return {
    data: { ...rankings, ...pairs },
    router,
    close: async () => {
      await Promise.all([rankings.close(), pairs.close(), router.close()]);
    },
  };
}

/** What routes ask of tokens. */
export type Tokens = Pick<TokenLists, 'rank'> & TokenLookups;

/** Joins the services of tokens. */
export function createTokens(
  { data, router }: TokenSources,
  { wallClock: clock, log }: Pick<Runtime, 'wallClock' | 'log'>,
): Tokens & { stop(): void } {
  return {
    ...createTokenLists({ data, clock, log }),
    ...createTokenLookups({ data, router, clock }),
  };
}
