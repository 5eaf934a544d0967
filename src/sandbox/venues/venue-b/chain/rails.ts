import type { Address } from '@solana/kit';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../chains/solana/addresses.ts';
import type { Listing, OutcomeSide } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
import type { SeededAccount } from '../../../chains/solana/instructions.ts';
import { nobodysAddress, seededAccount } from '../../../chains/solana/keys.ts';

/**
 * A market's accounts for one settlement currency: the ledger holds the USDC behind every pair, the
 * mints are the two outcomes (venue_b.md section 6).
 */
interface Rail {
  readonly ledger: SeededAccount;
  readonly mints: Readonly<Record<OutcomeSide, SeededAccount>>;
}

/** Where an outcome token, or a market's ledger, belongs. */
interface MintPlace {
  readonly listing: Listing;
  /** Null for the market's ledger. */
  readonly side: OutcomeSide | null;
}

/** Addresses of all markets, from the router's key. */
export interface Rails {
  of(listing: Listing): Rail;
  /** The rail of the other settlement currency, which the sandbox lists and does not trade. */
  unusedOf(listing: Listing): Readonly<Record<'ledger' | OutcomeSide, Address>>;
  /** Null for an address of no listed market. */
  place(mint: string): MintPlace | null;
}

/** The other settlement currency (venue_b.md section 6). */
// an address, written down
export const CASH_MINT = 'CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH' as Address;

/** Creates the addresses of a model's markets. `router` makes their accounts. */
export function createRails(model: Pick<MarketModel, 'seed' | 'events'>, router: Address): Rails {
  const rails = new Map<string, Rail>();
  const places = new Map<string, MintPlace>();
  const placed = new Set<string>();
  const of = (listing: Listing): Rail => {
    const known = rails.get(listing.ticker);
    if (known !== undefined) return known;
    const part = (name: string, program: Address): SeededAccount =>
      seededAccount(router, `${listing.ticker} ${name}`, program);
    const rail: Rail = {
      ledger: part('ledger', TOKEN_PROGRAM),
      mints: { yes: part('yes', TOKEN_2022_PROGRAM), no: part('no', TOKEN_2022_PROGRAM) },
    };
    rails.set(listing.ticker, rail);
    return rail;
  };
  const placeAll = (): void => {
    for (const event of model.events())
      for (const listing of event.markets) {
        if (placed.has(listing.ticker)) continue;
        placed.add(listing.ticker);
        const { ledger, mints } = of(listing);
        places.set(ledger.address, { listing, side: null });
        places.set(mints.yes.address, { listing, side: 'yes' });
        places.set(mints.no.address, { listing, side: 'no' });
      }
  };
  return {
    of,
    unusedOf: ({ ticker }) => {
      const address = (part: string): Address =>
        nobodysAddress(`unused rail ${model.seed} ${ticker} ${part}`);
      return { ledger: address('ledger'), yes: address('yes'), no: address('no') };
    },
    place(mint) {
      if (!places.has(mint)) placeAll();
      return places.get(mint) ?? null;
    },
  };
}
