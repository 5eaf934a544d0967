import { encodeAbiParameters, encodeEventTopics, parseAbi, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { explainTransaction } from '../../../src/domain/transaction-reason.ts';
import type { EvmLog, Hex } from '../../../src/ports/evm.ts';
import { ARRIVAL, aWorld, DIAMOND, offerFor, OUT, reborn, USER, WALLET } from './swap-life.ts';

const EVENT = parseAbi([
  'event LiFiGenericSwapCompleted(bytes32 indexed transactionId, string integrator, string referrer, address receiver, address fromAssetId, address toAssetId, uint256 fromAmount, uint256 toAmount)',
]);

/** The event of the router's contract, as a general encoder writes it. */
function paid(amount: bigint, { by = DIAMOND, to = WALLET, token = zeroAddress as string } = {}) {
  const [event] = EVENT;
  const log: EvmLog = {
    address: asId<Address>(by),
    topics: encodeEventTopics({
      abi: EVENT,
      args: { transactionId: `0x${'ab'.repeat(32)}` },
    }) as Hex[],
    data: encodeAbiParameters(
      event.inputs.filter((input) => !('indexed' in input)),
      [
        'predictd',
        'a referrer whose name is longer than one word',
        to as Hex,
        DIAMOND,
        token as Hex,
        1n,
        amount,
      ],
    ),
    blockNumber: 1,
    logIndex: 0,
    transactionHash: '0x01',
  };
  return log;
}

/** A swap for ether on one chain, killed once its transaction was sent. */
async function aForgottenSwap(logs: readonly EvmLog[]) {
  const world = aWorld();
  world.state.offer = (request) => {
    const offer = offerFor(request);
    const call = offer.call === null ? null : { ...offer.call, toChain: 'BASE' as const };
    return { ...offer, toChain: 'BASE', call };
  };
  world.state.simulation = {
    kind: 'done',
    approvals: [],
    gas: 210_000n,
    movements: [
      ...(world.state.simulation.kind === 'done' ? world.state.simulation.movements : []),
      { token: null, from: asId<Address>(DIAMOND), to: WALLET, amount: OUT },
    ],
  };
  world.state.isForgetful = true;
  world.state.logs = logs;
  const { swapId } = await world.execute(world.live(), false, { toChain: 'BASE' });
  const life = reborn(world);
  const after = async (ms: number) => {
    await world.clock.advance(ms);
    return life.swaps.get(USER, swapId) ?? expect.unreachable();
  };
  return { ...world, after };
}

describe('a swap for the coin whose node has forgotten the balances around its block', () => {
  it('ends with what the contract of the router says it paid, and says so', async () => {
    const { after } = await aForgottenSwap([paid(OUT)]);
    const swap = await after(60_000);
    expect(swap).toMatchObject({ state: 'completed', received: OUT.toString() });
    expect(swap.receivedHash).toBe(swap.sentHash);
    expect(explainTransaction(swap.reason).reason).toBe(
      'The amount is what the contract says it paid: the chain node no longer has the balances.',
    );
  });

  it('is partial where the contract says it paid less than was promised', async () => {
    const { after } = await aForgottenSwap([paid(OUT / 2n)]);
    expect(await after(60_000)).toMatchObject({
      state: 'partial',
      received: (OUT / 2n).toString(),
      reason: 'less arrived than was promised',
    });
  });

  it.each([
    ['no event', []],
    ['the event of another contract', [paid(OUT, { by: WALLET })]],
    ['the event of another receiver', [paid(OUT, { to: asId<Address>(DIAMOND) })]],
    ['the event of a token', [paid(OUT, { token: DIAMOND })]],
    ['a shortened event', [{ ...paid(OUT), data: '0x12' as Hex }]],
  ])('waits for a node that knows, and then ends without the amount: %s', async (_, logs) => {
    const { after, log } = await aForgottenSwap(logs);
    expect((await after(300_000)).state).toBe('queued');
    const swap = await after(600_000);
    expect(swap).toMatchObject({ state: 'completed', received: null });
    expect(explainTransaction(swap.reason).reason).toBe(
      'The amount is not known: the chain node no longer has the balances.',
    );
    expect(log.lines.some(({ event }) => event === 'swap.ended')).toBe(true);
  });
});

describe('a bridge to the coin whose node has forgotten the balances around what brought it', () => {
  it('ends as unproven, with where the router says it arrived, and is logged for the operator', async () => {
    const world = aWorld();
    world.state.isForgetful = true;
    const life = world.live();
    const { swapId } = await world.execute(life);
    await world.clock.advance(300_000);
    expect(life.swaps.get(USER, swapId)?.state).toBe('following');
    await world.clock.advance(600_000);
    const swap = life.swaps.get(USER, swapId) ?? expect.unreachable();
    expect(swap).toMatchObject({ state: 'unproven', received: null, receivedHash: ARRIVAL });
    expect(explainTransaction(swap.reason).reason).toBe(
      'The router says it arrived, without proof: the chain node no longer has the balances.',
    );
    expect(
      world.log.lines.some(({ event, level }) => event === 'swap.unproven' && level === 'error'),
    ).toBe(true);
  });

  it('is waited for while the node does not answer at all', async () => {
    const world = aWorld();
    Object.assign(world.state, { isForgetful: true, isSilent: true });
    const life = world.live();
    const { swapId } = await world.execute(life);
    await world.clock.advance(3_600_000);
    expect(life.swaps.get(USER, swapId)?.state).toBe('following');
    world.state.isForgetful = false;
    await world.clock.advance(60_000);
    expect(life.swaps.get(USER, swapId)?.state).toBe('completed');
  });
});

describe('a swap that does not end', () => {
  it('is logged once as late, with what its last poll failed with', async () => {
    const world = aWorld();
    Object.assign(world.state, { isForgetful: true, isSilent: true });
    await world.execute(world.live());
    const lines = () => world.log.lines.filter(({ event }) => event === 'swap.late');
    await world.clock.advance(1_500_000);
    expect(lines()).toEqual([]);
    await world.clock.advance(7_200_000);
    expect(lines()).toMatchObject([
      { level: 'warn', fields: { state: 'following', cause: { code: 'chain_unavailable' } } },
    ]);
  });
});
