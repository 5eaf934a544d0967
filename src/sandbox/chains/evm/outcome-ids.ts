import { asId, type MarketId, type TokenId } from '../../../domain/ids.ts';

/** Keccak-256, handed in by the composition root. */
export type Keccak = (bytes: Uint8Array) => Uint8Array;

/** Names of one market on the chain. */
export interface ChainIds {
  readonly marketId: MarketId;
  readonly questionId: string;
  readonly tokens: readonly [TokenId, TokenId];
}

/** What a market's names follow from beside its slug; addresses are 0x hex. */
export interface ConditionTerms {
  /** The same world lists the same ids again. */
  readonly seed: number;
  /** Who reports how markets end. */
  readonly oracle: string;
  /** What backs the outcome tokens. */
  readonly collateral: string;
}

/**
 * A market's names as the conditional tokens framework 1.0.3 gives them: the market id is the
 * condition id, keccak256(oracle ‖ question id ‖ 2), the token ids are the position ids of its two
 * outcomes in the collateral.
 */
export function chainIds(
  keccak: Keccak,
  { seed, oracle, collateral }: ConditionTerms,
  slug: string,
): ChainIds {
  const hash = (...parts: readonly Uint8Array[]) => keccak(Buffer.concat(parts));
  const questionId = hash(new TextEncoder().encode(`${seed}/${slug}/question`));
  const conditionId = hash(bytesOf(oracle), questionId, word(2n));
  const tokenOf = (indexSet: bigint) =>
    asId<TokenId>(
      numberOf(
        hash(bytesOf(collateral), word(collectionId(numberOf(hash(conditionId, word(indexSet)))))),
      ).toString(),
    );
  return {
    marketId: asId<MarketId>(hex(conditionId)),
    questionId: hex(questionId),
    tokens: [tokenOf(1n), tokenOf(2n)],
  };
}

/** Prime of the field of alt_bn128, and the curve y² = x³ + 3 (EIP-196). */
const PRIME =
  21_888_242_871_839_275_222_246_405_745_257_275_088_696_311_157_297_823_662_689_037_894_645_226_208_583n;
const CURVE_B = 3n;
const TOP_BIT = 1n << 255n;
const ODD_MARK = 1n << 254n;

/**
 * Collection id of a condition's outcomes without a parent: the first point of the curve at or
 * after the hash, its x with a mark for an odd y (CTHelpers.getCollectionId of the framework).
 */
function collectionId(hash: bigint): bigint {
  const wantsOdd = (hash & TOP_BIT) !== 0n;
  for (let x = hash % PRIME; ; ) {
    x = (x + 1n) % PRIME;
    const square = (((x * x) % PRIME) * x + CURVE_B) % PRIME;
    // The prime is 3 modulo 4: this is a root wherever there is one.
    const root = power(square, (PRIME + 1n) / 4n);
    if ((root * root) % PRIME !== square) continue;
    const y = wantsOdd === ((root & 1n) === 1n) ? root : (PRIME - root) % PRIME;
    return (y & 1n) === 1n ? x ^ ODD_MARK : x;
  }
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [factor, left] = [base, exponent]; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * factor) % PRIME;
    factor = (factor * factor) % PRIME;
  }
  return result;
}

function word(value: bigint): Uint8Array {
  return bytesOf(value.toString(16).padStart(64, '0'));
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text.replace(/^0x/, ''), 'hex');
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(hex(bytes));
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
