import { POOL_AMM } from '../../../../../config/limits/sandbox-pools.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import { dropOld } from '../model/exchange-state.ts';
import type { PoolFill } from './pool-fill.ts';

/** Trades with pools: users' outlive the process, of others the newest of each market are known. */
export interface FillTape {
  /**
   * Takes over what the chain says of all blocks from one on, and gives what is new; what was known
   * of those blocks and is not said any more is forgotten: they were taken back.
   */
  replace(fromBlock: number, fills: readonly PoolFill[]): readonly PoolFill[];
  /** Of a market, newest first. */
  ofMarket(slug: string): readonly PoolFill[];
  /** Of an account, oldest first. */
  ofAccount(account: string): readonly PoolFill[];
}

/** Opens the tape; trades of `makerAccount` are not kept. */
export function openFillTape(kept: RecordStore<PoolFill>, makerAccount: () => string): FillTape {
  /** By market, newest last. */
  const tapes = new Map<string, PoolFill[]>();
  for (const fill of kept.all()) tapeOf(fill.slug).push(fill);

  function tapeOf(slug: string): PoolFill[] {
    const known = tapes.get(slug);
    if (known !== undefined) return known;
    const fresh: PoolFill[] = [];
    tapes.set(slug, fresh);
    if (tapes.size > POOL_AMM.poolsKept)
      for (const oldest of tapes.keys()) {
        tapes.delete(oldest);
        break;
      }
    return fresh;
  }

  return {
    replace(fromBlock, fills) {
      const said = new Set(fills.map(({ id }) => id));
      const isGone = ({ id, blockNumber }: PoolFill): boolean =>
        blockNumber >= fromBlock && !said.has(id);
      for (const [slug, tape] of tapes) {
        const left = tape.filter((fill) => !isGone(fill));
        if (left.length !== tape.length) tapes.set(slug, left);
      }
      for (const fill of kept.all()) if (isGone(fill)) kept.remove(fill.id);
      const fresh = fills.filter(
        ({ id, slug }) => !tapeOf(slug).some((known) => known.id === id) && kept.get(id) === null,
      );
      for (const fill of fresh) {
        const tape = tapeOf(fill.slug);
        tape.push(fill);
        if (tape.length > POOL_AMM.tapeKept) tape.shift();
        if (fill.account !== makerAccount()) kept.put(fill.id, fill);
      }
      dropOld(
        kept,
        POOL_AMM.fillsKept,
        ({ id }) => id,
        () => true,
      );
      return fresh;
    },
    ofMarket: (slug) => [...(tapes.get(slug) ?? [])].reverse(),
    ofAccount: (account) => kept.all().filter((fill) => fill.account === account),
  };
}
