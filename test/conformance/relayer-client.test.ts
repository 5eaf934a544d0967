import { BuilderConfig, RelayClient } from '../peers/relayer-client.ts';
import { peerSigner } from '../peers/signer.ts';
import { encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { VENUE_A_CHAIN } from '../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { TOKEN_ABI } from '../../src/sandbox/chains/evm/contract-abis.ts';
import {
  BUILDER,
  startChainFixture,
  startRelayerFixture,
  type ChainFixture,
  type RelayerFixture,
} from '../support/fixtures/relayer-fixture.ts';

/** Signs by a publicly known test key; never fund it. */
const signer = peerSigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const OWNER = signer.account;
const SAFE: Hex = '0xd93B25cb943D14d0d34FBaF01Fc93a0f8b5F6E47';
const FRIEND: Hex = '0x2222222222222222222222222222222222222222';

let fixture: ChainFixture;
let relay: RelayerFixture;

beforeAll(async () => {
  // The client tells its progress on the console.
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  fixture = await startChainFixture();
  relay = await startRelayerFixture(fixture.chain, createWallClock());
});
afterAll(async () => {
  await relay.relayer.close();
  await fixture.close();
  vi.restoreAllMocks();
});

const clientOf = (creds: typeof BUILDER = BUILDER) =>
  new RelayClient(relay.relayer.url, 137, signer, new BuilderConfig({ localBuilderCreds: creds }));
const collateralCall = (functionName: 'approve' | 'transfer', to: Hex, amount: bigint) => ({
  to: VENUE_A_CHAIN.collateral,
  data: encodeFunctionData({ abi: TOKEN_ABI, functionName, args: [to, amount] }),
  value: '0',
});

describe('@polymarket/builder-relayer-client 0.0.10 against the sandbox', () => {
  it('is refused with credentials of another secret', async () => {
    await expect(
      clientOf({ ...BUILDER, secret: Buffer.alloc(32, 8).toString('base64') }).deploy(),
    ).rejects.toThrow('invalid authorization');
    expect(await clientOf().getDeployed(SAFE)).toBe(false);
  });

  it('deploys a Safe, once', async () => {
    const done = await (await clientOf().deploy()).wait();
    expect(done).toMatchObject({ type: 'SAFE-CREATE', from: OWNER.address, proxyAddress: SAFE });
    expect(await clientOf().getDeployed(SAFE)).toBe(true);
    await expect(clientOf().deploy()).rejects.toThrow();
  });

  it('executes one call, then a batch, from a Safe whose owner has no native coin', async () => {
    await fixture.mint(SAFE, 100n);
    const one = await (
      await clientOf().execute([collateralCall('transfer', FRIEND, 10n)], 'one')
    ).wait();
    expect(one?.state).toMatch(/^STATE_(MINED|CONFIRMED)$/);
    const batch = await (
      await clientOf().execute(
        [
          collateralCall('approve', VENUE_A_CHAIN.exchange, 5n),
          collateralCall('transfer', FRIEND, 20n),
        ],
        'two',
      )
    ).wait();
    expect(batch).toMatchObject({
      nonce: '1',
      metadata: 'two',
      type: 'SAFE',
      to: VENUE_A_CHAIN.multiSend,
    });
    expect([
      await fixture.balanceOf(SAFE),
      await fixture.balanceOf(FRIEND),
      await fixture.node.client.getBalance({ address: OWNER.address }),
    ]).toEqual([70n, 30n, 0n]);
    expect((await clientOf().getNonce(OWNER.address, 'SAFE')).nonce).toBe('2');
    expect((await clientOf().getTransactions()).map(({ metadata }) => metadata)).toEqual([
      'two',
      'one',
      '',
    ]);
  });

  it('hears that a batch whose call fails inside is invalid', async () => {
    const response = await clientOf().execute(
      [collateralCall('transfer', FRIEND, 1_000n)],
      'too much',
    );
    await relay.relayer.work();
    expect((await response.getTransaction()).map(({ state }) => state)).toEqual(['STATE_INVALID']);
    expect(await fixture.balanceOf(FRIEND)).toBe(30n);
  });
});
