import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { asId, type Address, type OrderId } from '../../../src/domain/ids.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import { createEvmClient, type EvmClient } from '../../../src/sandbox/chains/evm/evm-client.ts';
import type { FaultName, FaultRule } from '../../../src/sandbox/faults.ts';
import type { ExchangeMarket } from '../../../src/sandbox/engine/exchange-types.ts';
import { startWorld, type World } from '../../../src/sandbox/world.ts';
import { WORLD_CREDENTIALS } from '../../support/worlds/small-world.ts';
import { startVerifyServer, type VerifyServer } from '../../support/fixtures/verify-server.ts';

/**
 * The outside of money days: the venue, its chains, relayer and bridge, and a telephone service. It
 * outlives every daemon.
 */
export interface MoneyEnvironment {
  readonly world: World;
  readonly telephone: VerifyServer;
  readonly polygon: EvmClient;
  readonly base: EvmClient;
  /** The markets of the day, one a person: alike in all but their names. */
  readonly markets: readonly ExchangeMarket[];
  close(): Promise<void>;
}

const MARKETS: readonly string[] = [
  'snow-in-lisbon-this-season',
  'hottest-month-on-record',
  'chess-champion-draws-first-game',
  'silent-film-wins-grand-prize',
];
const MAKER = asId<Address>('0x00000000000000000000000000000000000000A1');
/**
 * Others use the chains too: a block each time, several a second, so that a day does not wait for
 * confirmations.
 */
const BLOCK_MS = 250;

/**
 * What else goes wrong while daemons are killed: nothing, or all the while some of what relayers,
 * bridges and the venue's chain do.
 */
export type FaultSchedule =
  | 'calm'
  | 'answers get lost'
  | 'answers come twice, or are wrong'
  | 'the chain reorganises';

const FAULTS: Readonly<Record<FaultSchedule, readonly (readonly [FaultName, FaultRule])[]>> = {
  calm: [],
  'answers get lost': [
    ['relayer-lost', { percent: 60 }],
    ['lost-ack', { percent: 60 }],
    ['bridge-unavailable', { percent: 40 }],
  ],
  'answers come twice, or are wrong': [
    ['relayer-doubled', { percent: 50 }],
    ['relayer-busy', { percent: 40 }],
    ['relayer-foreign-hash', { percent: 50 }],
    ['duplicate-trade', { percent: 50 }],
  ],
  'the chain reorganises': [],
};
/** Blocks between two times the newest one is taken back, where the chain reorganises. */
const BLOCKS_PER_REORGANISATION = 7;

/** Opens an environment in this process; its chains are processes of their own. */
export async function openMoneyEnvironment(
  faultSchedule: FaultSchedule = 'calm',
): Promise<MoneyEnvironment> {
  const telephone = await startVerifyServer();
  const world = await startWorld({
    seed: 7,
    clock: createWallClock(),
    wallClock: createWallClock(),
    dataDir: null,
    makers: false,
    settlement: 'chain',
    credentials: WORLD_CREDENTIALS,
  });
  const polygon = createEvmClient(world.urls.chains?.polygonRpc ?? '', 137);
  const base = createEvmClient(world.urls.chains?.baseRpc ?? '', 8453);
  for (const [name, rule] of FAULTS[faultSchedule]) world.faults.arm(name, rule);
  let turns = 0;
  // A node that is busy or ending makes no block: the next turn does.
  const blocks = setInterval(() => {
    turns += 1;
    const isTakenBack =
      faultSchedule === 'the chain reorganises' && turns % BLOCKS_PER_REORGANISATION === 0;
    (isTakenBack ? takeBack(polygon) : polygon.mine({ blocks: 1 })).catch(() => undefined);
    base.mine({ blocks: 1 }).catch(() => undefined);
  }, BLOCK_MS);
  const markets = world.venues.venue_a.exchange
    .markets()
    .filter(({ slug }) => MARKETS.includes(slug));
  for (const market of markets) offer(world.venues.venue_a, market);
  return {
    world,
    telephone,
    polygon,
    base,
    markets,
    async close() {
      clearInterval(blocks);
      await world.close();
      await telephone.close();
    },
  };
}

/** Puts an empty block in the place of the newest. */
function takeBack(chain: EvmClient): Promise<unknown> {
  // A method of this node alone, which the client has no name for.
  return chain.request({ method: 'anvil_reorg' as never, params: [1, []] as never });
}

/** A hundred shares of Yes at 0.40. */
function offer({ exchange }: World['venues']['venue_a'], market: ExchangeMarket): void {
  const shares = 100_000_000;
  exchange.deposit(MAKER, usdcMicros(shares));
  exchange.split(MAKER, market.marketId, shares);
  const answer = exchange.place({
    orderId: asId<OrderId>(`0x${'ee'.repeat(24)}${market.marketId.slice(2, 18)}`),
    maker: MAKER,
    owner: 'maker:environment',
    tokenId: market.tokens[0],
    side: 'sell',
    timeInForce: 'GTC',
    price: priceTicks(4_000),
    makerMicros: shares,
    takerMicros: (shares * 4) / 10,
    expiresAtMs: null,
    postOnly: false,
  });
  if (answer.kind === 'rejected')
    throw new Error(`the market maker's order was refused: ${answer.reason}`);
}
