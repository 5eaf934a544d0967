import type { Address } from '@solana/kit';
import { TOKEN_PROGRAM, USDC_MINT } from '../../../chains/solana/addresses.ts';
import type { Listing, OutcomeSide } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
import { associatedAddress, nobodysAddress, solanaKey, type SolanaKey } from './keys.ts';

/** A market's tokens for one settlement currency: `ledger` owns the vault, the mints are the two outcomes (venue_b.md section 6). */
export interface Rail {
  readonly ledger: SolanaKey;
  readonly mints: Readonly<Record<OutcomeSide, SolanaKey>>;
  /** Account of USDC that backs every pair. */
  readonly vault: Address;
}

/** Where an outcome token, or a market's ledger, belongs. */
export interface MintPlace {
  readonly listing: Listing;
  /** Null for the market's ledger. */
  readonly side: OutcomeSide | null;
}

/** Addresses of all markets, from the seed. */
export interface Rails {
  of(listing: Listing): Rail;
  /** The rail of the other settlement currency, which the sandbox lists and nobody trades. */
  unusedOf(listing: Listing): Readonly<Record<'ledger' | OutcomeSide, Address>>;
  /** Null for an address of no listed market. */
  place(mint: string): MintPlace | null;
}

/** The other settlement currency (venue_b.md section 6). */
export const CASH_MINT = 'CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH' as Address;

/** Creates the addresses of a model's markets. */
export function createRails(model: Pick<MarketModel, 'seed' | 'events'>): Rails {
  const rails = new Map<string, Rail>();
  const places = new Map<string, MintPlace>();
  const placed = new Set<string>();
  const of = (listing: Listing): Rail => {
    const known = rails.get(listing.ticker);
    if (known !== undefined) return known;
    const key = (part: string): SolanaKey =>
      solanaKey(`rail ${model.seed} ${listing.ticker} ${part}`);
    const ledger = key('ledger');
    const rail: Rail = {
      ledger,
      mints: { yes: key('yes'), no: key('no') },
      vault: associatedAddress(ledger.address, USDC_MINT, TOKEN_PROGRAM),
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
