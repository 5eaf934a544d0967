import { createScaledClock, scaledMarketTime } from '../../src/adapters/clock/scaled-clock.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import type { ClockAnchor } from '../../src/app/sandbox-time.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import {
  asId,
  type Address,
  type MarketId,
  type OrderId,
  type TokenId,
} from '../../src/domain/ids.ts';
import type { TradeSide } from '../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { createExchange, type VenueModel } from '../../src/sandbox/engine/exchange.ts';
import type { EngineAnswer, ExchangeMarket } from '../../src/sandbox/engine/exchange-types.ts';
import { createFaultBoard, type FaultBoard } from '../../src/sandbox/faults.ts';
import {
  startClobSockets,
  type ClobSockets,
} from '../../src/sandbox/venues/venue-a/clob/clob-sockets.ts';
import { startClobRest } from '../../src/sandbox/venues/venue-a/clob/clob-rest.ts';
import { startDataApi } from '../../src/sandbox/venues/venue-a/data/data-api.ts';
import { startSite } from '../../src/sandbox/venues/venue-a/site.ts';
import { startFaucet } from '../../src/sandbox/venues/venue-a/faucet.ts';
import { createHeldClock } from '../support/clocks/held-clock.ts';

/** Publicly known test keys of widely used local chains; they never hold anything. */
export const TEST_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const TEST_ADDRESS = asId<Address>('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
export const OTHER_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
export const OTHER_ADDRESS = asId<Address>('0x70997970C51812dc3A010C7d01b50e0d17dc79C8');

export const UP = asId<TokenId>(
  '71321045679252212594626385532706912750332728571942532289631379312455583992563',
);
export const DOWN = asId<TokenId>(
  '52114319501245915516055106046884209969926127482827954674443846427813813222426',
);
export const MARKET = asId<MarketId>(`0x${'5f'.repeat(32)}`);
export const MAKER = asId<Address>('0x00000000000000000000000000000000000000A1');

/** The venue's servers on loopback around one open market. */
export interface Fixture {
  readonly exchange: VenueModel;
  readonly faults: FaultBoard;
  readonly rest: string;
  readonly sockets: ClobSockets;
  readonly data: string;
  readonly site: string;
  readonly faucet: string;
  /** Puts a market maker order into the book. */
  quote(quote: {
    readonly tokenId: TokenId;
    readonly side: TradeSide;
    readonly price: number;
    readonly shares: number;
  }): EngineAnswer;
  /** Ends the waits of faults that were armed with a `delayMs` of `HELD_MS`. */
  letGo(): void;
  close(): Promise<void>;
}

/**
 * Starts everything, with 10 000 USDC and 1 000 shares of each outcome for the market maker; on the
 * wall's time unless another is given.
 */
export async function startFixture(
  changes: Partial<ExchangeMarket> = {},
  anchor: ClockAnchor | null = null,
): Promise<Fixture> {
  const wallClock = createWallClock();
  const clock = createHeldClock(anchor === null ? wallClock : createScaledClock(anchor));
  const random = createSeededRandom('stand');
  const faults = createFaultBoard(random);
  const exchange = createExchange({
    clock,
    random,
    faults,
    settlement: { minedAfterMs: 20, confirmedAfterMs: 60 },
  });
  exchange.listMarket({
    marketId: MARKET,
    tokens: [UP, DOWN],
    labels: ['Up', 'Down'],
    slug: 'btc-updown-5m-1795248000',
    question: 'Bitcoin Up or Down?',
    tickSize: priceTicks(100),
    minSize: shareMicros(5_000_000),
    negRisk: false,
    fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
    takerDelayMs: 0,
    opensForOrdersAtMs: 0,
    endsAtMs: clock.nowMs() + 3_600_000,
    ...changes,
  });
  exchange.deposit(MAKER, usdcMicros(10_000_000_000));
  exchange.split(MAKER, MARKET, 1_000_000_000);
  const rest = await startClobRest({
    exchange,
    random,
    ...(anchor === null
      ? {}
      : { wall: { clock: wallClock, marketTime: scaledMarketTime(anchor) } }),
  });
  const sockets = await startClobSockets({ exchange });
  const data = await startDataApi({ exchange });
  const site = await startSite({ clock, faults });
  const faucet = await startFaucet({ exchange });
  let count = 0;
  return {
    exchange,
    faults,
    rest: rest.url,
    sockets,
    data: data.url,
    site: site.url,
    faucet: faucet.url,
    quote({ tokenId, side, price, shares }) {
      count += 1;
      const micros = Math.round(shares * 1_000_000);
      const usdc = (micros * price) / 10_000;
      return exchange.place({
        orderId: asId<OrderId>(`0x${'ee'.repeat(28)}${String(count).padStart(8, '0')}`),
        maker: MAKER,
        owner: 'maker:quotes',
        tokenId,
        side,
        timeInForce: 'GTC',
        price: priceTicks(price),
        makerMicros: side === 'buy' ? usdc : micros,
        takerMicros: side === 'buy' ? micros : usdc,
        expiresAtMs: null,
        postOnly: true,
      });
    },
    letGo: () => clock.letGo(),
    async close() {
      await Promise.all([
        rest.close(),
        sockets.close(),
        data.close(),
        site.close(),
        faucet.close(),
      ]);
    },
  };
}
