import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import { hexOf } from '../../../adapters/wire/hex.ts';
import type { Keccak } from '../../../adapters/wire/keccak.ts';
import { BoundedMap } from '../../../domain/bounded-map.ts';
import type { Address } from '../../../domain/ids.ts';
import type { EvmChain } from '../../../ports/evm.ts';
import { readPoolFee, type PoolMoney } from './contract.ts';

/** Which contracts are pools of the venue. */
export interface KnownPools {
  /**
   * Resolves with the part of a trade that the pool keeps, in 10^-18, read once; null where the
   * address has other code than the venue's pools, or other money. Errors: `chain_unavailable`.
   */
  feeOf(pool: Address): Promise<bigint | null>;
}

/** The code of a contract that has another one's: EIP-1167, with the address in between. */
const CLONE = ['363d3d373d3d3d363d73', '5af43d82803e903d91602b57fd5bf3'] as const;

/**
 * Makes the check of pools. The venue names their addresses, and a trade gives the contract a right
 * over money: a pool is what is a clone of one of the contracts named here.
 */
export function createKnownPools({
  evm,
  keccak,
  money,
  masters,
}: {
  readonly evm: Pick<EvmChain, 'call' | 'codeHash'>;
  readonly keccak: Keccak;
  readonly money: PoolMoney;
  readonly masters: readonly string[];
}): KnownPools {
  const codes = masters.map((master) =>
    hexOf(keccak(Buffer.from(CLONE.join(master.slice(2).toLowerCase()), 'hex'))),
  );
  const known = new BoundedMap<Address, bigint>(VENUE_C_POOL.poolsRemembered);
  return {
    async feeOf(pool) {
      const before = known.get(pool);
      if (before !== undefined) return before;
      const code = await evm.codeHash(pool);
      if (code === null || !codes.includes(code)) return null;
      const fee = await readPoolFee(evm, pool, money);
      if (fee !== null) known.set(pool, fee);
      return fee;
    },
  };
}
