import { AppError } from '../../../src/domain/errors.ts';
import type { TokenListing } from '../../../src/domain/token-listing.ts';
import type { RoutedToken, RouterTokens } from '../../../src/ports/router.ts';
import { knownTokenAt } from '../../../src/domain/known-tokens.ts';
import { ONE_DOLLAR } from '../../../src/domain/token-price.ts';
import type { TokenPrices } from '../../../src/services/tokens/token-prices.ts';
import type { TokenData } from '../../../src/ports/token-data.ts';

const DAY_MS = 86_400_000;

/** A listing of a token without a reason for distrust. */
export function aTokenListing(parts: Partial<TokenListing> = {}): TokenListing {
  return {
    chain: 'BASE',
    address: '0x532f27101965dd16442E59d40670FaF5eBB142E4',
    symbol: 'BRETT',
    name: 'Brett',
    decimals: 18,
    priceUsd: '0.0431',
    change24hPercent: '2.5',
    volume24hUsd: '7000000',
    liquidityUsd: '4100000',
    marketCapUsd: '431000000',
    fdvUsd: '431000000',
    pairAddress: '0x36a46dff597c5a444bbc521d26787f57867d2214',
    pairCreatedAtMs: 1_700_000_000_000 - 600 * DAY_MS,
    ...parts,
  };
}

/**
 * Token data in memory: what is put in is answered, chains that are down fail, and every call is
 * remembered.
 */
export function createFakeTokenData(listings: readonly TokenListing[]): TokenData & {
  readonly calls: string[];
  readonly down: Set<string>;
  /** Chains whose rankings never come; `details` for those of single tokens. */
  readonly hanging: Set<string>;
} {
  const calls: string[] = [];
  const down = new Set<string>();
  const hanging = new Set<string>();
  const noted = (call: string, place: string): void => {
    calls.push(call);
    if (down.has(place))
      throw new AppError('token_data_unavailable', `${place} is down`, { retryable: true });
  };
  return {
    calls,
    down,
    hanging,
    async pools({ chain, ranking, page, urgency }) {
      noted(`${ranking} ${chain} ${page} ${urgency}`, chain);
      if (hanging.has(chain)) await new Promise(() => undefined);
      return listings.filter((row) => row.chain === chain).slice((page - 1) * 20, page * 20);
    },
    async search(text) {
      noted(`search ${text}`, 'search');
      return listings.filter(({ symbol, name }) =>
        `${symbol} ${name}`.toLowerCase().includes(text.toLowerCase()),
      );
    },
    async poolsOf(chain, address) {
      noted(`pools ${chain} ${address}`, 'pools');
      return listings.filter((row) => row.chain === chain && row.address === address);
    },
    async details(chain, address) {
      noted(`details ${chain} ${address}`, 'details');
      if (hanging.has('details')) await new Promise(() => undefined);
      return {
        description: 'A token.',
        websites: ['https://brett.example'],
        holders: 10,
        score: '88.2',
        mintAuthority: null,
        freezeAuthority: null,
      };
    },
    async prices(chain, addresses) {
      noted(`prices ${chain} ${addresses.join()}`, chain);
      return new Map(
        listings.flatMap(({ address, priceUsd, ...row }) =>
          row.chain === chain && addresses.includes(address) && priceUsd !== null
            ? [[address, priceUsd] as const]
            : [],
        ),
      );
    },
  };
}

/** A router's list in memory. */
export function createFakeRouterTokens(tokens: readonly RoutedToken[]): RouterTokens {
  return {
    tokens: async ({ chains, search, limit }) =>
      tokens
        .filter(
          ({ chain, symbol }) =>
            chains.includes(chain) && symbol.toLowerCase().includes(search.toLowerCase()),
        )
        .slice(0, limit),
    token: async (chain, text) =>
      tokens.find((row) => row.chain === chain && (row.address === text || row.symbol === text)) ??
      null,
  };
}

/** A token of the router. */
export function aRoutedToken(parts: Partial<RoutedToken> = {}): RoutedToken {
  return {
    chain: 'BASE',
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 6,
    priceUsd: '1',
    marketCapUsd: null,
    volume24hUsd: '300000000',
    ...parts,
  };
}

/** Prices by a rule, dollars at par; none is ever waited for. */
export function fakePrices(
  rule: TokenPrices['newest'],
  isLate: TokenPrices['isLate'] = () => false,
): TokenPrices {
  const newest: TokenPrices['newest'] = (chain, address) =>
    address !== null && knownTokenAt(chain, address)?.isDollar === true
      ? ONE_DOLLAR
      : rule(chain, address);
  return { newest, isLate, last: newest, warm: async () => undefined };
}
