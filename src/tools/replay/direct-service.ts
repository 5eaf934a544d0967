import { createMemoryBus } from '../../adapters/bus/memory-bus.ts';
import { openKeyVault } from '../../adapters/keys/key-vault.ts';
import { createLocalEncryptor } from '../../adapters/keys/local-encryptor.ts';
import { createMemoryStore } from '../../adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../../adapters/wire/keccak.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { venueSettings } from '../../../config/profiles/venues.ts';
import { assert } from '../../domain/errors.ts';
import {
  asId,
  type Address,
  type SolanaAddress,
  type UserId,
  type VenueId,
} from '../../domain/ids.ts';
import type { RiskCaps } from '../../domain/reservation.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Lease } from '../../ports/lease.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RiskAssessor } from '../../ports/risk-assessor.ts';
import type { Store } from '../../ports/store.ts';
import type { Venue } from '../../ports/venue.ts';
import type { OrderGateway } from '../../ports/order-gateway.ts';
import { createDirectBooks } from '../../sandbox/venues/venue-a/direct/direct-books.ts';
import type { DirectLine } from '../../sandbox/wire/direct-calls.ts';
import { severable } from '../../sandbox/wire/severable.ts';
import { createDirectInference } from '../../sandbox/feeds/inference/direct-inference.ts';
import {
  createDirectExchange,
  createDirectMirror,
  createDirectOracle,
} from '../../sandbox/feeds/direct-prices.ts';
import { createDirectVenue } from '../../sandbox/venues/venue-a/direct/direct-venue.ts';
import type { ExchangePrices } from '../../sandbox/feeds/prices/exchange-prices.ts';
import type { WorldModel } from '../../sandbox/venues/venue-a/world-model.ts';
import { VENUES } from '../../venues/table.ts';
import type { AccountFunds } from '../../services/venues.ts';
import { createSolanaCalls } from '../../adapters/solana/calls.ts';
import { chainClients, solanaClients } from '../../app/chains.ts';
import { createCore, type Core } from '../../app/core.ts';
import { leasedVenue } from '../../app/leased.ts';
import { lateTransactions } from '../../app/late-transactions.ts';

export interface DirectServiceOptions extends Pick<Runtime, 'clock' | 'log'> {
  readonly model: WorldModel;
  readonly seed: number;
  /** What one way to the venue takes, ms of the clock. */
  readonly latencyMs: number;
  /**
   * Takes the place of `clock` on the way to the venue: what has left a process arrives though the
   * process is gone.
   */
  readonly wayClock?: Clock;
  /** Has calls arrive at the venue while their process is paused; `wayClock` unless stated. */
  readonly arrivalClock?: Clock;
  /**
   * The time outside, where the clock of the market maker may be set wrong; `clock` unless stated.
   */
  readonly outsideClock?: Clock;
  /** Takes the place of the model's exchange prices. */
  readonly exchangePrices?: ExchangePrices;
  /**
   * `direct` reads the model's books as they change, `channel` through the venue's frames and their
   * faults.
   */
  readonly books: 'direct' | 'channel';
  /** Counted where metrics are scraped; nowhere unless stated. */
  readonly metrics?: Metrics;
  /** Judges markets before they are farmed; absent unless stated. */
  readonly assessor?: RiskAssessor | null;
  /** What the operator lets any one user have at risk; absent: no bound. */
  readonly caps?: RiskCaps;
  /** Accounts whose funds orders move on a chain; none where the venue pays by itself. */
  readonly accountFunds?: AccountFunds;
  /** Venues that are open beside the model's; none unless stated. */
  readonly beside?: readonly VenueInReach[];
  /** Takes the place of the product's strategies. */
  readonly strategies?: StrategyTable;
  /** Asked before an order or a cancel leaves; absent: held. */
  readonly lease?: Lease;
  /** Takes the place of a fresh store: what an earlier run left. */
  readonly store?: Store;
  /**
   * Counts the starts over one store, from 1: a later life must not draw the ids of the one before
   * again.
   */
  readonly life?: number;
}

/** A venue of the table whose model outlives the service, and how it is reached. */
export interface VenueInReach {
  readonly id: VenueId;
  readonly transport: Transport;
  /** Where the chain is that it settles on; absent where it needs none. */
  readonly solanaRpc?: string;
  /** As its row takes them. */
  readonly settings: unknown;
}

/** The whole service over models in one process, on the virtual clock. */
export interface DirectService {
  readonly core: Core;
  readonly bus: Bus;
  readonly store: Store;
  readonly gateway: OrderGateway;
  /**
   * Gives a user a key from the seed and opens the account at the venue. Called for the same names
   * in the same order, it gives the same keys.
   */
  openUser(name: string): Promise<DirectUser>;
  /** Opens a user with this much collateral in the Safe, deposits taken in. */
  addUser(name: string, usdc: UsdcMicros): Promise<DirectUser>;
  stop(): Promise<void>;
  /**
   * Lets go of the venue at once, as a process does that is killed: nothing more leaves, nothing
   * more is heard.
   */
  cut(): void;
}

/** A user, the address of the Safe, and the wallet on Solana. */
export interface DirectUser {
  readonly userId: UserId;
  readonly address: Address;
  readonly solanaAddress: SolanaAddress;
}

/** Joins the service to the models. Everything it draws comes from the seed (L10). */
export async function createDirectService(options: DirectServiceOptions): Promise<DirectService> {
  const { model, clock, seed, log } = options;
  const { exchange, faults, prices, rounds, stats, delays, rule } = model;
  const { life = 1, metrics = NO_METRICS, outsideClock = clock, wayClock = outsideClock } = options;
  const { arrivalClock = wayClock, latencyMs } = options;
  const line: DirectLine = { clock: wayClock, arrivalClock, latencyMs };
  const random = createSeededRandom(life === 1 ? `${seed}:service` : `${seed}:service:${life}`);
  const secrets = createSeededRandom(`${seed}:keys`);
  const keccak = await loadKeccak();
  const bus = createMemoryBus({ log });
  const store = options.store ?? createMemoryStore();
  // Keys come from the seed, and are no part of what a run leaves behind.
  const keys = createMemoryStore();
  const vault = await openKeyVault({
    store: keys,
    encryptor: createLocalEncryptor(secrets.bytes(32), secrets),
    random: secrets,
    keccak,
  });
  const wallets = createWalletAddresses(keccak, POLYGON_CHAIN.wallets);
  const reach = createDirectVenue({
    ...line,
    exchange,
    random: model.random,
    catalogue: {
      clock: outsideClock,
      faults,
      exchange,
      stats,
      listings: () => model.listings(),
      strikeE18: rounds.strikeE18,
      finalE18: rounds.finalE18,
      twap: rule === 'twap_60',
      strikeDelayMs: delays.strikeDelayMs,
    },
  });
  const settings = venueSettings({ PREDICTD_SIGNATURE_TYPE: 2 }, { runs: 'test' });
  const open = ({ id, transport, solanaRpc, settings: given }: VenueInReach): Promise<Venue> => {
    const row = VENUES.find((one) => one.id === id);
    assert(row !== undefined, `${id} is in the table`);
    const solana = (rpcUrl: string) =>
      solanaClients(createSolanaCalls({ rpcUrl, metrics, open: transport.calls }), metrics);
    const chain = chainClients(solanaRpc === undefined ? {} : { solana: solana(solanaRpc) });
    const parts = { store: keys, vault, keccak, wallets, random, clock, metrics, chain };
    return row.open(
      { ...parts, transport, transactions: lateTransactions(), wallClock: clock },
      given,
    );
  };
  const { lease = { isHeld: () => true } } = options;
  const opened = await open({
    id: asId(reach.id),
    transport: reach.transport,
    settings: settings({ venues: { [reach.id]: reach.urls } })[reach.id],
  });
  const venue = leasedVenue(opened, lease);
  const beside = (options.beside ?? []).map((one) => ({ ...one, way: severable(one.transport) }));
  const others = await Promise.all(
    beside.map(async ({ way, ...one }) =>
      leasedVenue(await open({ ...one, transport: way.transport }), lease),
    ),
  );
  const [trading] = Object.values(venue.mechanisms);
  assert(trading !== undefined, `orders are placed at ${venue.id}`);
  const { gateway } = trading;
  const feeds = {
    clock: outsideClock,
    faults,
    settlement: prices,
    exchange: options.exchangePrices ?? model.quotes,
  };
  const core = createCore({
    store,
    bus,
    clock,
    random,
    paperRandom: createSeededRandom('paper'),
    log,
    metrics,
    venues: [
      {
        ...venue,
        ...(options.books === 'direct' ? { books: createDirectBooks(exchange, line, clock) } : {}),
        prices: createDirectMirror(feeds),
      },
      ...others,
    ],
    assessor: options.assessor ?? null,
    oracle: createDirectOracle(feeds),
    exchange: createDirectExchange(feeds),
    inference: createDirectInference({
      clock: outsideClock,
      readerClock: clock,
      faults,
      infer: (topic, second) => model.infer(topic, second),
    }),
    accountFunds: options.accountFunds ?? {},
    ...(options.caps === undefined ? {} : { caps: options.caps }),
    ...(options.strategies === undefined ? {} : { strategies: options.strategies }),
  });
  const withKeys = new Set<UserId>();
  async function openUser(name: string): Promise<DirectUser> {
    const userId = asId<UserId>(name);
    // The venue may have been out of reach when the user's keys were made: opening goes on from
    // there.
    if (!withKeys.has(userId)) {
      const draft = await vault.draft(userId);
      await keys.write((tx) => draft.keep(tx));
      withKeys.add(userId);
    }
    await vault.load(userId);
    for (const { accounts } of [venue, ...others]) await accounts.open(userId);
    return {
      userId,
      address: wallets.safeOf(vault.addressOf(userId)),
      solanaAddress: vault.solanaAddressOf(userId),
    };
  }
  const letGo = (): void => {
    reach.close();
    for (const { way } of beside) way.sever();
  };

  return {
    core,
    bus,
    store,
    gateway,
    openUser,
    async addUser(name, usdc) {
      const user = await openUser(name);
      exchange.deposit(user.address, usdc);
      await core.trading.funding.syncDeposits(user.userId);
      return user;
    },
    async stop() {
      await core.stop();
      letGo();
    },
    cut: letGo,
  };
}

/** Metrics of a run that is not scraped. */
const NO_METRICS: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
  startTimer: () => () => undefined,
  beforeRead: () => undefined,
};
