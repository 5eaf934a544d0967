import { expect, it } from 'vitest';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { receivedSide } from '../../../src/domain/swap.ts';
import type { EvmLog, Hex } from '../../../src/ports/evm.ts';
import { TRANSFER_TOPIC } from '../../../src/services/wallets/contract-calls.ts';
import { ARRIVAL, aWorld, DIAMOND, USER, WALLET } from './swap-life.ts';

const UNLISTED = asId<Address>('0x532f27101965dd16442E59d40670FaF5eBB142E4');
const topic = (address: string): Hex => `0x${address.slice(2).padStart(64, '0')}`;

/** What shows that so much of a token was paid to the wallet. */
const paid = (address: Address): EvmLog => ({
  address,
  topics: [TRANSFER_TOPIC, topic(DIAMOND), topic(WALLET)],
  data: '0x05dc',
  blockNumber: 1,
  logIndex: 0,
  transactionHash: ARRIVAL as Hex,
});

it.each([
  [3, { chain: 'ARBITRUM', address: UNLISTED, symbol: '0x532f27', decimals: 3 }],
  [null, null],
])('a bridge that paid another token ends by the decimals it states: %s', async (stated, side) => {
  const world = aWorld();
  world.state.decimals = stated;
  world.state.logs = [paid(UNLISTED)];
  world.state.word = { ...world.state.word, state: 'partial', receivedToken: UNLISTED };
  const life = world.live();
  const { swapId } = await world.execute(life);
  await world.clock.advance(60_000);
  const swap = life.swaps.get(USER, swapId) ?? expect.unreachable();
  expect([swap.state, swap.received, swap.receivedToken]).toEqual(['partial', '1500', UNLISTED]);
  expect(receivedSide(swap)).toEqual(side);
  expect(swap.reason).toBe(`the bridge paid ${UNLISTED} instead of ETH`);
});

it('a bridge that paid a listed token instead names its ticker', async () => {
  const world = aWorld();
  const dollar = asId<Address>('0xaf88d065e77c8cC2239327C5EDb3A432268e5831');
  world.state.logs = [paid(dollar)];
  world.state.word = { ...world.state.word, state: 'partial', receivedToken: dollar };
  const life = world.live();
  const { swapId } = await world.execute(life);
  await world.clock.advance(60_000);
  expect(life.swaps.get(USER, swapId)).toMatchObject({
    receivedToken: dollar,
    reason: 'the bridge paid USDC instead of ETH',
  });
});
