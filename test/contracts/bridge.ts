import { describe, expect, it } from 'vitest';
import { asId, type Address } from '../../src/domain/ids.ts';
import type { BridgeTransfer } from '../../src/domain/deposit.ts';
import type { Bridge } from '../../src/ports/bridge.ts';

/** A bridge and the levers of its world. */
export interface BridgeUnderTest {
  readonly bridge: Bridge;
  /** Pays dollars to a deposit address on Base. */
  pay(address: string, micros: bigint): Promise<unknown>;
  /** Lets time and blocks pass until the check succeeds. */
  until<T>(check: () => Promise<T>): Promise<T>;
}

const WALLET = asId<Address>('0x75F00B003FBBBA193FABEB06284c3187a4C1232E');
const OTHER = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');

/** What every bridge behind the port keeps to. */
export function bridgeContract(name: string, open: () => BridgeUnderTest): void {
  describe(`the bridge port on ${name}`, () => {
    it('takes dollars from the nine chains of the spec', async () => {
      const assets = await open().bridge.supportedAssets();
      expect([...new Set(assets.map(({ chain }) => chain))].sort()).toEqual([
        'ARBITRUM',
        'BASE',
        'BITCOIN',
        'BSC',
        'ETHEREUM',
        'OPTIMISM',
        'POLYGON',
        'SOLANA',
        'TRON',
      ]);
      expect(assets.find(({ chain }) => chain === 'BASE')).toEqual({
        chain: 'BASE',
        chainId: '8453',
        symbol: 'USDC',
        name: 'USD Coin',
        tokenAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        decimals: 6,
        minimumUsd: '2',
      });
    });

    it('gives a wallet addresses of its own, the same each time', async () => {
      const { bridge } = open();
      const first = await bridge.depositAddresses(WALLET);
      expect(await bridge.depositAddresses(WALLET)).toEqual(first);
      const other = await bridge.depositAddresses(OTHER);
      expect(Object.values(other).some((address) => Object.values(first).includes(address))).toBe(
        false,
      );
    });

    it('tells of a deposit on its way and, in the end, of its credit; an address without deposits has none', async () => {
      const { bridge, pay, until } = open();
      const { evm, bitcoin } = await bridge.depositAddresses(WALLET);
      expect(await bridge.status(bitcoin)).toEqual([]);
      await pay(evm, 25_000_000n);
      const done = await until(async (): Promise<BridgeTransfer> => {
        const [transfer] = await bridge.status(evm);
        expect(transfer?.status).toBe('completed');
        if (transfer === undefined) throw new Error('there is one');
        return transfer;
      });
      expect(done).toMatchObject({
        chainId: '8453',
        amount: '25000000',
        transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        createdAtMs: expect.any(Number),
      });
    });
  });
}
