import { TOKEN_DATA, TOKEN_PRICES } from '../../../config/limits/tokens.ts';
import { foldedAddress } from '../../domain/chain-address.ts';
import { scaledDecimal } from '../../domain/decimal-text.ts';
import { AppError } from '../../domain/errors.ts';
import type { Asset } from '../../domain/ids.ts';
import { knownTokenAt, WRAPPED_COINS } from '../../domain/known-tokens.ts';
import { ONE_DOLLAR, type TokenPrice } from '../../domain/token-price.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { TokenData } from '../../ports/token-data.ts';
import { within } from './within.ts';

/** A token, or with null a chain's own coin. */
export interface PricedToken {
  readonly chain: Web3ChainId;
  readonly address: string | null;
}

/**
 * Prices for looking at wallets and for bounding losses: dollars at par, coins by the exchange
 * where it has them, the rest by token data.
 */
export interface TokenPrices {
  /** The newest price; null where none is known or the newest is too old (L8). */
  newest(chain: Web3ChainId, address: string | null): TokenPrice | null;
  /**
   * Reports whether a price that is followed has not come in time, so that it may be there in a
   * moment; false for a token whose source has just said that it has none.
   */
  isLate(chain: Web3ChainId, address: string | null): boolean;
  /** The newest price however old, to be shown with its age: nothing is decided by it (L8). */
  last(chain: Web3ChainId, address: string | null): TokenPrice | null;
  /**
   * Reads those that are not fresh, and waits at most so long for those without any. Never fails:
   * what did not come has no price.
   */
  warm(wanted: readonly PricedToken[], waitMs: number): Promise<void>;
}

interface Kept {
  /** As the source said last: null where it has none. */
  readonly price: TokenPrice | null;
  /** When it said so. */
  readonly atMs: number;
  /** The newest it ever had. */
  readonly last: TokenPrice | null;
}

/** Makes the prices; nothing is asked before a caller wants one. */
export function createTokenPrices({
  data,
  assetPrice,
  clock,
  log,
}: Pick<Runtime, 'clock' | 'log'> & {
  readonly data: Pick<TokenData, 'prices'>;
  /** The exchange's price; null while absent or stale. */
  readonly assetPrice: (asset: Asset) => TokenPrice | null;
}): TokenPrices {
  const kept = new Map<string, Kept>();
  const lastOfAssets = new Map<Asset, TokenPrice>();
  const running = new Map<string, Promise<void>>();

  function keep(chain: Web3ChainId, address: string, price: TokenPrice | null): void {
    const name = nameOf(chain, address);
    const last = price ?? kept.get(name)?.last ?? null;
    kept.delete(name);
    kept.set(name, { price, atMs: clock.nowMs(), last });
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size > TOKEN_PRICES.keptMaximum) kept.delete(oldest);
  }

  async function read(chain: Web3ChainId, addresses: readonly string[]): Promise<void> {
    try {
      const found = await data.prices(chain, addresses, 'asked');
      for (const address of addresses) {
        const priceE18 = scaledDecimal(found.get(address) ?? '', 18);
        keep(
          chain,
          address,
          priceE18 === null || priceE18 === 0n ? null : { priceE18, atMs: clock.nowMs() },
        );
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.debug({ chain, code: error.code }, 'token_prices.unread');
    }
  }

  /** One question for all that is asked of a chain at a time. */
  function ask(chain: Web3ChainId, addresses: readonly string[]): Promise<void> {
    const name = `${chain} ${addresses.join()}`;
    const known = running.get(name);
    if (known !== undefined) return known;
    const asked = read(chain, addresses).finally(() => running.delete(name));
    running.set(name, asked);
    return asked;
  }

  function newest(chain: Web3ChainId, address: string | null): TokenPrice | null {
    const source = sourceOf(chain, address);
    if (source.kind === 'dollar') return ONE_DOLLAR;
    if (source.kind === 'asset') return assetNow(source.asset);
    return heardOf(chain, source.address)?.price ?? null;
  }

  function assetNow(asset: Asset): TokenPrice | null {
    const price = assetPrice(asset);
    if (price !== null) lastOfAssets.set(asset, price);
    return price;
  }

  /** What the source said of a token, while that is no older than a price may be. */
  function heardOf(chain: Web3ChainId, address: string): Kept | null {
    const found = kept.get(nameOf(chain, address));
    return found !== undefined && clock.nowMs() - found.atMs <= TOKEN_PRICES.shownMaximumMs
      ? found
      : null;
  }

  return {
    newest,
    isLate(chain, address) {
      const source = sourceOf(chain, address);
      if (source.kind === 'dollar') return false;
      return source.kind === 'asset'
        ? assetNow(source.asset) === null
        : heardOf(chain, source.address) === null;
    },
    last(chain, address) {
      const now = newest(chain, address);
      if (now !== null) return now;
      const source = sourceOf(chain, address);
      return source.kind === 'asset'
        ? (lastOfAssets.get(source.asset) ?? null)
        : source.kind === 'listed'
          ? (kept.get(nameOf(chain, source.address))?.last ?? null)
          : null;
    },
    async warm(wanted, waitMs) {
      const due = new Map<Web3ChainId, Set<string>>();
      let isCold = false;
      for (const { chain, address } of wanted) {
        const source = sourceOf(chain, address);
        if (source.kind !== 'listed') continue;
        const ageMs =
          clock.nowMs() -
          (kept.get(nameOf(chain, source.address))?.atMs ?? Number.NEGATIVE_INFINITY);
        if (ageMs < TOKEN_PRICES.freshMs) continue;
        if (ageMs > TOKEN_PRICES.shownMaximumMs) isCold = true;
        due.set(chain, (due.get(chain) ?? new Set()).add(source.address));
      }
      const asked = [...due].flatMap(([chain, addresses]) =>
        chunks([...addresses].sort(), TOKEN_DATA.pricesPerCallMaximum).map((some) =>
          ask(chain, some),
        ),
      );
      if (isCold) await within(Promise.all(asked), clock, waitMs);
    },
  };
}

type Source =
  | { readonly kind: 'dollar' }
  | { readonly kind: 'asset'; readonly asset: Asset }
  | { readonly kind: 'listed'; readonly address: string };

/** Where a price is from: a coin that is on no exchange we follow is priced as its wrapped form. */
function sourceOf(chain: Web3ChainId, address: string | null): Source {
  const { pricedAs } = web3Chain(chain).native;
  if (address === null)
    return pricedAs === null
      ? { kind: 'listed', address: WRAPPED_COINS[chain] }
      : { kind: 'asset', asset: pricedAs };
  return knownTokenAt(chain, address)?.isDollar === true
    ? { kind: 'dollar' }
    : { kind: 'listed', address };
}

function nameOf(chain: Web3ChainId, address: string): string {
  return `${chain} ${foldedAddress(chain, address)}`;
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
