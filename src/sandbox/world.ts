import { createSeededRandom } from '../adapters/random/seeded-random.ts';
import { loadKeccak } from '../adapters/wire/keccak.ts';
import { SANDBOX } from '../../config/limits.ts';
import type { Clock } from '../ports/clock.ts';
import { createExchange, type VenueModel } from './models/exchange.ts';
import { createExchangePrices } from './models/exchange-prices.ts';
import { createFairValue } from './models/fair-value.ts';
import { createFaultBoard, isFaultName, type FaultBoard } from './models/faults.ts';
import { streamOf } from './models/hashed-chance.ts';
import { createInferenceModel } from './models/inference-model.ts';
import type { Listing } from './models/listing.ts';
import { chainIds } from './models/market-ids.ts';
import { startMarketMaker } from './models/market-maker.ts';
import { startMarketStats } from './models/market-stats.ts';
import { startNoiseTraders } from './models/noise-traders.ts';
import { startRounds, type Rounds, type SettlementRule } from './models/rounds.ts';
import type { SettlementPrices } from './models/settlement-prices.ts';
import { startStandingMarkets, type StandingMarkets } from './models/standing-markets.ts';
import { openWorldStore } from './persistence.ts';
import { openWorldPrices, type WorldPrices } from './world-prices.ts';
import { startClobRest } from './servers/clob-rest.ts';
import { startClobSockets } from './servers/clob-sockets.ts';
import { startControl } from './servers/control.ts';
import { startDataApi } from './servers/data-api.ts';
import { startDataStreams } from './servers/data-streams.ts';
import type { DataStreamsAccount } from './servers/data-streams-auth.ts';
import { startExchangeFeed } from './servers/exchange-socket.ts';
import { startFaucet } from './servers/faucet.ts';
import { startGamma } from './servers/gamma.ts';
import { startInference } from './servers/inference.ts';
import { startRtds } from './servers/rtds.ts';

/** Ports of the world's servers; 0 or absent takes a free one. */
export type WorldPorts = Readonly<Partial<Record<'clobRest' | 'clobSockets' | 'gamma' | 'dataApi' | 'rtds' | 'inference' | 'dataStreams' | 'exchange' | 'faucet' | 'control', number>>>;

/** How a world is made. Everything but the clock is plain JSON. */
export interface WorldSettings {
  /** A whole number: same seed and same times, same prices, markets and quotes. */
  readonly seed: number;
  /** Folder in which the world outlives a stop; null keeps nothing. */
  readonly dataDir: string | null;
  readonly credentials: { readonly inferenceKey: string; readonly dataStreams: DataStreamsAccount };
  readonly prices?: WorldPrices;
  /** What settles a round; `spot` unless stated. */
  readonly rule?: SettlementRule;
  /** False leaves every book empty but for the orders of users. */
  readonly makers?: boolean;
  /** Correlation of a prediction with the coming return; 0.1 unless stated: right in 53 of 100 cases. */
  readonly inferenceSkill?: number;
  /** Delays in ms of the clock; the rest keeps the venue's usual ones. */
  readonly delays?: Partial<WorldDelays>;
  readonly ports?: WorldPorts;
  /** Faults armed from the start: a name, or `name:times`. */
  readonly faults?: readonly string[];
}

/** Times of the venue, in ms. */
export interface WorldDelays {
  readonly listingHorizonMs: number;
  readonly hydrationDelayMs: number;
  readonly strikeDelayMs: number;
  readonly resolutionDelayMs: number;
  readonly minedAfterMs: number;
  readonly confirmedAfterMs: number;
}

/** What the venue was seen to do (venue_a.md sections 6.4, 9.3 and 11); the listing horizon is shorter than its day. */
export const USUAL_DELAYS: WorldDelays = { listingHorizonMs: 7_200_000, hydrationDelayMs: 60_000, strikeDelayMs: 8_000, resolutionDelayMs: 120_000, minedAfterMs: 2_000, confirmedAfterMs: 5_000 };

/** A world in this process. */
export interface WorldOptions extends WorldSettings {
  readonly clock: Clock;
}

/** Base addresses without trailing slashes. */
export interface WorldUrls {
  readonly clobRest: string;
  readonly clobMarketSocket: string;
  readonly clobUserSocket: string;
  readonly gamma: string;
  readonly dataApi: string;
  readonly rtds: string;
  readonly inference: string;
  readonly dataStreamsRest: string;
  readonly dataStreamsSocket: string;
  readonly exchangeRest: string;
  readonly exchangeSocket: string;
  readonly faucet: string;
  /** The sandbox's own switchboard of faults. */
  readonly control: string;
}

/** A running world. */
export interface World {
  readonly urls: WorldUrls;
  readonly faults: FaultBoard;
  readonly exchange: VenueModel;
  readonly prices: SettlementPrices;
  close(): Promise<void>;
}

/**
 * Starts the outside world on loopback: prices, venue, feeds; with a folder it goes on where its last run ended.
 * Throws a RangeError for an unknown fault or an unreadable recording. Errors: `store_corrupt`.
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  const { clock, seed } = options;
  const delays = { ...USUAL_DELAYS, ...options.delays };
  const startedAtMs = clock.nowMs();
  // A restarted world must not draw the ids of its former run again.
  const random = createSeededRandom(`${seed}:venue:${startedAtMs}`);
  const faults = createFaultBoard(createSeededRandom(`${seed}:faults:${startedAtMs}`));
  armAll(faults, options.faults ?? []);
  const store = options.dataDir === null ? null : openWorldStore(options.dataDir, seed);
  const saved = store?.saved ?? null;
  const foundedAtMs = saved?.foundedAtMs ?? startedAtMs;
  const prices = openWorldPrices(seed, options.prices ?? { kind: 'process' }, { nowMs: startedAtMs, saved: saved?.prices ?? null });
  const exchange = createExchange({
    clock, random, faults,
    settlement: { minedAfterMs: delays.minedAfterMs, confirmedAfterMs: delays.confirmedAfterMs },
    ...(saved === null || saved.exchange === null ? {} : { snapshot: saved.exchange }),
    onDurableChange: (records) => store?.append(records),
  });
  store?.begin(() => ({ seed, foundedAtMs, prices: prices.process.checkpoint(Math.floor(clock.nowMs() / 1000) - SANDBOX.priceHistorySeconds), exchange: exchange.snapshot() }));
  const life = await startLife(options, { exchange, prices: prices.settlement, delays, foundedAtMs });
  const servers = await startServers(options, { exchange, faults, random, life, prices: prices.settlement, delays });
  return {
    urls: servers.urls,
    faults,
    exchange,
    prices: prices.settlement,
    async close() {
      life.stop();
      await servers.close();
      store?.close();
    },
  };
}

/** What lives in a world besides its servers. */
interface Life {
  readonly rounds: Rounds;
  readonly standing: StandingMarkets;
  listings(): readonly Listing[];
  stop(): void;
}

interface LifeParts {
  readonly exchange: VenueModel;
  readonly prices: SettlementPrices;
  readonly delays: WorldDelays;
  readonly foundedAtMs: number;
}

async function startLife({ clock, seed, rule = 'spot', makers = true }: WorldOptions, { exchange, prices, delays, foundedAtMs }: LifeParts): Promise<Life> {
  const keccak = await loadKeccak();
  const idsOf = (slug: string) => chainIds(keccak, seed, slug);
  const rounds = startRounds({ clock, exchange, prices, idsOf, rule, ...delays });
  const standing = startStandingMarkets({ clock, exchange, seed, idsOf, foundedAtMs });
  const listings = () => [...rounds.listings(), ...standing.listings()];
  const fair = createFairValue({ seed, prices, exchange: createExchangePrices(seed, prices) });
  const fairOf = (listing: Listing): number | null => {
    const { window, market } = listing;
    if (window === null) return standing.chanceOf(listing);
    if (clock.nowMs() < window.startsAtMs) return EVEN;
    const strikeE18 = rounds.strikeE18(window);
    return strikeE18 === null ? EVEN : fair({ asset: window.series.asset, strikeE18, endsAtMs: window.endsAtMs, nowMs: clock.nowMs(), stream: streamOf(market.slug) });
  };
  const houses = makers ? [startMarketMaker({ clock, exchange, seed, listings, fairOf }), startNoiseTraders({ clock, exchange, seed, listings })] : [];
  return {
    rounds,
    standing,
    listings,
    stop() {
      for (const house of houses) house.stop();
      rounds.stop();
      standing.stop();
    },
  };
}

/** Before the start nobody knows: Up and Down are worth the same. */
const EVEN = 0.5;

interface ServerParts {
  readonly exchange: VenueModel;
  readonly faults: FaultBoard;
  readonly random: ReturnType<typeof createSeededRandom>;
  readonly life: Life;
  readonly prices: SettlementPrices;
  readonly delays: WorldDelays;
}

async function startServers(options: WorldOptions, parts: ServerParts): Promise<{ readonly urls: WorldUrls; close(): Promise<void> }> {
  const { clock, seed, credentials, rule = 'spot', inferenceSkill = SANDBOX.inferenceSkillPercent / 100, ports = {} } = options;
  const { exchange, faults, random, life, prices, delays } = parts;
  const quotes = createExchangePrices(seed, prices);
  const stats = startMarketStats(clock, exchange, SANDBOX.listingCacheMs);
  const infer = createInferenceModel({ seed, prices, skill: inferenceSkill });
  const at = (name: keyof WorldPorts) => ({ port: ports[name] ?? 0 });
  const rest = await startClobRest({ exchange, random, ...at('clobRest') });
  const sockets = await startClobSockets({ exchange, ...at('clobSockets') });
  const dataApi = await startDataApi({ exchange, ...at('dataApi') });
  const faucet = await startFaucet({ exchange, ...at('faucet') });
  const gamma = await startGamma({ ...at('gamma'), clock, faults, exchange, stats, listings: life.listings, strikeE18: life.rounds.strikeE18, finalE18: life.rounds.finalE18, twap: rule === 'twap_60', strikeDelayMs: delays.strikeDelayMs });
  const rtds = await startRtds({ ...at('rtds'), clock, faults, prices, exchange: quotes });
  const inference = await startInference({ ...at('inference'), clock, faults, apiKey: credentials.inferenceKey, infer });
  const streams = await startDataStreams({ ...at('dataStreams'), clock, faults, prices, account: credentials.dataStreams });
  const exchangeFeed = await startExchangeFeed({ ...at('exchange'), clock, faults, exchange: quotes });
  const control = await startControl({ faults, clock, ...at('control') });
  return {
    urls: {
      clobRest: rest.url, clobMarketSocket: sockets.marketUrl, clobUserSocket: sockets.userUrl, dataApi: dataApi.url, faucet: faucet.url, gamma: gamma.url, rtds: rtds.socketUrl,
      inference: `${inference.url}/v2`, dataStreamsRest: streams.url, dataStreamsSocket: streams.socketUrl, exchangeRest: exchangeFeed.url, exchangeSocket: exchangeFeed.socketUrl, control: control.url,
    },
    async close() {
      stats.stop();
      await Promise.all([rest, sockets, dataApi, faucet, gamma, rtds, inference, streams, exchangeFeed, control].map((server) => server.close()));
    },
  };
}

/** Arms faults written as `name` or `name:times`. */
function armAll(faults: FaultBoard, written: readonly string[]): void {
  for (const text of written) {
    const [name = '', times] = text.split(':');
    if (!isFaultName(name) || (times !== undefined && !/^[1-9]\d{0,5}$/.test(times))) throw new RangeError(`not a fault of the sandbox: ${text}`);
    faults.arm(name, times === undefined ? {} : { times: Number(times) });
  }
}
