import { z } from 'zod';
import type { Market } from '../../domain/market.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/);

/** Of a market that is traded by signed orders. */
const bookSchema = z.object({
  tradeType: z.literal('clob'),
  conditionId: bytes32,
  /** The contract that settles its orders, part of what is signed; as the venue writes it. */
  exchange: address,
  /** Of a market of a group: its shares are sold and redeemed through it. */
  adapter: address.nullable(),
  negRiskRequestId: z.string().nullable(),
});
/** Of a market that is traded with a contract. */
const poolSchema = z.object({
  tradeType: z.literal('amm'),
  conditionId: bytes32,
  /** The market-maker contract. */
  address,
});

/** What this venue keeps in `own` of a market. */
export const ownSchema = z.discriminatedUnion('tradeType', [bookSchema, poolSchema]);
/** As above. */
export type OwnFields = z.infer<typeof ownSchema>;

/** Returns what is kept of a market of this venue. Throws for a market of another one. */
export function ownOf({ own }: Pick<Market, 'own'>): OwnFields {
  return ownSchema.parse(own);
}
