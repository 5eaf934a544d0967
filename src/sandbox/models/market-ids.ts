import { asId, type MarketId, type TokenId } from '../../domain/ids.ts';

/** Keccak-256, handed in by the composition root. */
export type Keccak = (bytes: Uint8Array) => Uint8Array;

/** Names of one market on the chain. */
export interface ChainIds {
  readonly marketId: MarketId;
  readonly questionId: string;
  readonly tokens: readonly [TokenId, TokenId];
}

/** Derives a market's chain ids from the world's seed and the market's slug: the same world lists the same ids again. */
export function chainIds(keccak: Keccak, seed: number, slug: string): ChainIds {
  const hash = (part: string) => `0x${hex(keccak(new TextEncoder().encode(`${seed}/${slug}/${part}`)))}`;
  return {
    marketId: asId<MarketId>(hash('condition')),
    questionId: hash('question'),
    tokens: [asId<TokenId>(BigInt(hash('up')).toString()), asId<TokenId>(BigInt(hash('down')).toString())],
  };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
