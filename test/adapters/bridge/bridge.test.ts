import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBridge } from '../../../src/adapters/bridge/bridge.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import type { Bridge } from '../../../src/ports/bridge.ts';
import { bridgeContract } from '../../contracts/bridge.ts';
import {
  startBridgeChains,
  startBridgeFixture,
  type BridgeChains,
  type BridgeFixture,
} from '../../support/fixtures/bridge-fixture.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { startStubServer, type StubAnswer } from '../../support/fixtures/stub-server.ts';

const clock = createWallClock();

/** Local chains take a second to start, and more on a busy machine. */
describe('over local chains', () => {
  let chains: BridgeChains;
  let fixture: BridgeFixture;
  let bridge: ReturnType<typeof createBridge>;
  beforeAll(async () => {
    chains = await startBridgeChains();
    fixture = await startBridgeFixture(chains);
    bridge = createBridge({ baseUrl: fixture.bridge.url, clock, metrics: createCountingMetrics() });
  });
  afterAll(async () => {
    await bridge.close();
    await fixture.bridge.close();
    await chains.close();
  });

  bridgeContract('the sandbox', () => ({
    bridge,
    // the contract gives an address of an EVM chain
    pay: (address, micros) => chains.pay('base', { to: address as Hex, micros }),
    until: (check) =>
      eventually(async () => {
        await chains.mine();
        await fixture.bridge.work();
        return check();
      }),
  }));
});

describe('a bridge that misbehaves', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
  async function answering(answer: StubAnswer | 'hang' | 'reset') {
    const stub = await startStubServer({ answer: () => answer });
    const metrics = createCountingMetrics();
    const timeoutMs = answer === 'hang' ? 300 : 60_000;
    const bridge = createBridge({ baseUrl: stub.httpUrl, clock, metrics, timeoutMs });
    closing.push(
      () => bridge.close(),
      () => stub.close(),
    );
    return { bridge, metrics, stub };
  }
  const asset = (chainId: string, chainName: string) => ({
    chainId,
    chainName,
    token: { name: 'USD Coin', symbol: 'USDC', address: '0x1', decimals: 6 },
    minCheckoutUsd: 2.5,
  });

  it.each<[string, StubAnswer | 'hang' | 'reset']>([
    ['an error', { status: 500, body: { error: 'x' } }],
    ['a page', { status: 200, body: '<html>' }],
    ['another shape', { status: 200, body: { transactions: [{ status: 'NEW_WORD' }] } }],
    ['nothing', 'hang'],
    ['a cut connection', 'reset'],
  ])('is unavailable for %s', async (_what, answer) => {
    const { bridge, metrics } = await answering(answer);
    for (const ask of [
      (port: Bridge) => port.supportedAssets(),
      (port: Bridge) => port.depositAddresses('0x1' as never),
      (port: Bridge) => port.status('x'),
    ]) {
      await expect(ask(bridge)).rejects.toMatchObject({
        code: 'bridge_unavailable',
        retryable: true,
      });
    }
    expect(Object.values(metrics.counts)).toEqual([1, 1, 1]);
  });

  it('takes no address of another chain: money sent there would be gone', async () => {
    const { bridge } = await answering({
      status: 201,
      body: { address: { evm: '0x12', svm: 'x', btc: 'y', tvm: 'z' } },
    });
    await expect(bridge.depositAddresses('0x1' as never)).rejects.toMatchObject({
      code: 'bridge_unavailable',
    });
  });

  it('leaves chains out that were not asked for, and knows others by name', async () => {
    const { bridge } = await answering({
      body: {
        supportedAssets: [
          asset('999', 'HyperEVM'),
          asset('8253038', 'Bitcoin'),
          asset('137', 'Polygon PoS'),
        ],
      },
    });
    expect(
      (await bridge.supportedAssets()).map(({ chain, chainId, minimumUsd }) => [
        chain,
        chainId,
        minimumUsd,
      ]),
    ).toEqual([
      ['BITCOIN', '8253038', '2.5'],
      ['POLYGON', '137', '2.5'],
    ]);
  });

  it('reads a transfer that has no hash and no time yet', async () => {
    const { bridge, stub } = await answering({
      body: {
        transactions: [
          {
            fromChainId: '1',
            fromTokenAddress: '0xA',
            fromAmountBaseUnit: '5',
            toChainId: '137',
            status: 'DEPOSIT_DETECTED',
          },
        ],
      },
    });
    expect(await bridge.status('1Boat/..')).toEqual([
      {
        chainId: '1',
        tokenAddress: '0xA',
        amount: '5',
        status: 'detected',
        transactionHash: null,
        createdAtMs: null,
      },
    ]);
    expect(stub.requests[0]?.path).toBe('/status/1Boat%2F..');
  });
});
