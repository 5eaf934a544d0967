import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asId, type Address } from '../../src/domain/ids.ts';
import type { EvmChain, Hex } from '../../src/ports/evm.ts';

/** A chain under test, and what the world does to it. */
export interface EvmUnderTest {
  readonly chain: EvmChain;
  readonly token: Address;
  /** Brings tokens from nowhere in a block of their own; gives the transaction. */
  mint(to: Address, amount: bigint): Promise<Hex>;
  mine(blocks: number): Promise<void>;
  /** Does something and takes the block it came into back, for good. */
  takenBack(act: () => Promise<Hex>): Promise<Hex>;
  close(): Promise<void>;
}

const HOLDER = asId<Address>(`0x${'2a'.repeat(20)}`);
const OTHER = asId<Address>(`0x${'3b'.repeat(20)}`);

/** What every chain behind the port keeps to. */
export function evmContract(name: string, open: () => Promise<EvmUnderTest>): void {
  describe(`EVM chain: ${name}`, () => {
    let world: EvmUnderTest;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world.close());

    it('counts its blocks, each with a hash of its own and no time before the last', async () => {
      const before = await world.chain.head();
      await world.mine(2);
      const after = await world.chain.head();
      expect(after.blockNumber).toBe(before.blockNumber + 2);
      expect(after.hash).not.toBe(before.hash);
      expect(after.atMs).toBeGreaterThanOrEqual(before.atMs);
    });

    it('tells balances in the order asked, and no native coin where none is', async () => {
      await world.mint(HOLDER, 7n);
      expect(await world.chain.balances(HOLDER, [world.token])).toEqual({ wei: 0n, tokens: [7n] });
      expect(await world.chain.balances(OTHER, [world.token])).toEqual({ wei: 0n, tokens: [0n] });
    });

    it('counts the blocks on a transaction from one, and knows none that is in no block', async () => {
      const hash = await world.mint(HOLDER, 1n);
      expect(await world.chain.receipt(hash)).toMatchObject({
        transactionHash: hash,
        succeeded: true,
        confirmations: 1,
        blockNumber: (await world.chain.head()).blockNumber,
      });
      await world.mine(2);
      expect((await world.chain.receipt(hash))?.confirmations).toBe(3);
      expect(await world.chain.receipt(`0x${'77'.repeat(32)}`)).toBeNull();
    });

    it('reads events of the blocks asked for, oldest first, by contract and topics', async () => {
      const fromBlock = (await world.chain.head()).blockNumber + 1;
      const hashes = [
        await world.mint(HOLDER, 11n),
        await world.mint(OTHER, 12n),
        await world.mint(HOLDER, 13n),
      ];
      const toBlock = (await world.chain.head()).blockNumber;
      const read = (topics: readonly (Hex | null)[], address = world.token) =>
        world.chain.logs({ address, topics, fromBlock, toBlock });
      const all = await read([]);
      expect(all.map(({ transactionHash, data }) => [transactionHash, BigInt(data)])).toEqual(
        hashes.map((hash, index) => [hash, BigInt(11 + index)]),
      );
      const [transfer = null, , toHolder = null] = all[0]?.topics ?? [];
      expect((await read([transfer, null, toHolder])).map(({ data }) => BigInt(data))).toEqual([
        11n,
        13n,
      ]);
      expect(await read([transfer], OTHER)).toEqual([]);
      expect(
        await world.chain.logs({ address: world.token, topics: [], fromBlock: toBlock, toBlock }),
      ).toEqual(all.slice(-1));
    });

    it('L2: forgets a transaction whose block was taken back', async () => {
      const before = await world.chain.balances(OTHER, [world.token]);
      const hash = await world.takenBack(() => world.mint(OTHER, 9n));
      expect(await world.chain.receipt(hash)).toBeNull();
      expect(await world.chain.balances(OTHER, [world.token])).toEqual(before);
    });
  });
}
