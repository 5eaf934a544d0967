import { join } from 'node:path';
import { SANDBOX } from '../../config/limits/sandbox.ts';
import { AppError } from '../domain/errors.ts';
import { ONE_TIME } from '../ports/market-time.ts';
import type { VenueModel } from './engine/exchange.ts';
import type { FaultBoard } from './faults.ts';
import type { SettlementPrices } from './feeds/prices/settlement-prices.ts';
import { openWorldStore } from './storage/persistence.ts';
import { openRecordShelf } from './storage/record-shelf.ts';
import { startBridge } from './venues/venue-a/bridge/bridge.ts';
import { ChainAllowances } from './venues/venue-a/settlement/chain-allowances.ts';
import { ChainSettler } from './venues/venue-a/settlement/chain-settler.ts';
import {
  startChainVenue,
  type ChainVenue,
  type ChainVenueParts,
} from './venues/venue-a/settlement/chain-venue.ts';
import { startClobRest } from './venues/venue-a/clob/clob-rest.ts';
import { startClobSockets } from './venues/venue-a/clob/clob-sockets.ts';
import { startControl } from './control.ts';
import { createEventVolumes } from './venues/venue-a/data/event-volumes.ts';
import { startDataApi } from './venues/venue-a/data/data-api.ts';
import { startDataStreams } from './feeds/data-streams/data-streams.ts';
import { startExchangeFeed } from './feeds/exchange/exchange-socket.ts';
import { startFaucet } from './venues/venue-a/faucet.ts';
import { startGamma } from './venues/venue-a/gamma/gamma.ts';
import { startInference } from './feeds/inference/inference.ts';
import { startLanguageModel } from './feeds/language-model/language-model.ts';
import { startRelayer } from './venues/venue-a/relayer/relayer.ts';
import { startOpenId } from './identity/open-id/open-id.ts';
import { startPush } from './identity/push/push.ts';
import { startRtds } from './venues/venue-a/rtds.ts';
import { startSite } from './venues/venue-a/site.ts';
import { startSocial } from './identity/social/social.ts';
import { startSolanaRpc } from './chains/solana/solana-rpc.ts';
import { startWorldChains } from './chains/world-chains.ts';
import { startWorldModel, type WorldModel } from './world-model.ts';
import { openWorldPrices } from './feeds/world-prices.ts';
import type { ChainUrls, WorldOptions, WorldPorts, WorldUrls } from './world-settings.ts';

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
  const startedAtMs = clock.nowMs();
  const store = options.dataDir === null ? null : openWorldStore(options.dataDir, seed);
  const saved = store?.saved ?? null;
  const foundedAtMs = saved?.foundedAtMs ?? startedAtMs;
  const prices = openWorldPrices(seed, options.prices ?? { kind: 'process' }, {
    nowMs: startedAtMs,
    saved: saved?.prices ?? null,
  });
  const chain =
    options.settlement === 'chain'
      ? { settler: new ChainSettler(), allowances: new ChainAllowances() }
      : null;
  const model = await startWorldModel({
    ...options,
    ...chain,
    prices: prices.settlement,
    foundedAtMs,
    ...(saved === null || saved.exchange === null ? {} : { snapshot: saved.exchange }),
    onDurableChange: (records) => store?.append(records),
    onVenue: (exchange) =>
      store?.begin(() => ({
        seed,
        foundedAtMs,
        prices: prices.process.checkpoint(
          Math.floor(clock.nowMs() / 1000) - SANDBOX.priceHistorySeconds,
        ),
        exchange: exchange.snapshot(),
      })),
  });
  const late: { venue: ChainVenue | null } = { venue: null };
  const joined = (): ChainVenue => late.venue ?? notYet();
  const servers = await startServers(
    options,
    model,
    chain === null
      ? null
      : {
          mint: async (to, micros) => joined().mint(to, micros),
          caughtUp: async () => joined().caughtUp(),
        },
  );
  const acts = await startChainActs(options, model, {
    solanaRpcUrl: servers.urls.solanaRpc,
    onChain: chain,
  });
  late.venue = acts?.venue ?? null;
  return {
    urls: { ...servers.urls, chains: acts?.urls ?? null },
    faults: model.faults,
    exchange: model.exchange,
    prices: model.prices,
    async close() {
      model.stop();
      await Promise.all([servers.close(), acts?.close()]);
      store?.close();
    },
  };
}

/** The chains and who acts on them; null where the world does without. */
async function startChainActs(
  {
    chains: wanted = true,
    credentials,
    dataDir,
    ports = {},
    seed,
    wallClock,
    marketTime = ONE_TIME,
  }: WorldOptions,
  model: WorldModel,
  {
    solanaRpcUrl,
    onChain,
  }: {
    readonly solanaRpcUrl: string;
    readonly onChain: Pick<ChainVenueParts, 'settler' | 'allowances'> | null;
  },
): Promise<{
  readonly urls: ChainUrls;
  readonly venue: ChainVenue | null;
  close(): Promise<void>;
} | null> {
  if (!wanted) return null;
  const { faults, random } = model;
  const chains = await startWorldChains({
    seed,
    folder: dataDir,
    clock: wallClock,
    speed: marketTime.speed,
    ports: { polygon: ports.polygonRpc ?? 0, base: ports.baseRpc ?? 0 },
  });
  const file = (name: string) => (dataDir === null ? null : join(dataDir, name));
  const relayer = await startRelayer({
    chain: chains.polygon,
    faults,
    random,
    clock: wallClock,
    port: ports.relayer ?? 0,
    findBuilder: (key) => (key === credentials.relayer.key ? credentials.relayer : null),
    actions: openRecordShelf(file('relayer-actions.jsonl'), 1),
    transactions: openRecordShelf(file('relayer-transactions.jsonl'), 1),
  });
  const bridge = await startBridge({
    polygon: chains.polygon,
    base: chains.base,
    solanaRpcUrl,
    faults,
    clock: wallClock,
    port: ports.bridge ?? 0,
    btcUsdMicros: () => btcUsdMicros(model),
    wallets: openRecordShelf(file('bridge-wallets.jsonl'), 1),
    transfers: openRecordShelf(file('bridge-transfers.jsonl'), 1),
    transactions: openRecordShelf(file('bridge-transactions.jsonl'), 1),
  });
  const venue =
    onChain === null
      ? null
      : await startChainVenue({
          ...onChain,
          chain: chains.polygon,
          exchange: model.exchange,
          questionIdOf: (market) => model.questionIdOf(market),
          clock: wallClock,
          transactions: openRecordShelf(file('operator-transactions.jsonl'), 1),
        });
  return {
    urls: {
      polygonRpc: chains.polygon.node.url,
      baseRpc: chains.base.node.url,
      relayer: relayer.url,
      bridge: bridge.url,
    },
    venue,
    async close() {
      await venue?.stop();
      await bridge.close();
      await relayer.close();
      await chains.close();
    },
  };
}

function notYet(): never {
  throw new AppError('chain_unavailable', 'the chain is being joined to the venue', {
    retryable: true,
  });
}

/** A whole bitcoin now, in millionths of a dollar. Errors: `feed_stale` while the recorded prices have a hole. */
function btcUsdMicros({ prices, clock }: WorldModel): bigint {
  const usd = prices.valueAt('BTC', Math.floor(clock.nowMs() / 1_000));
  if (usd === null)
    throw new AppError('feed_stale', 'there is no price of bitcoin at this moment', {
      retryable: true,
    });
  return BigInt(Math.round(usd * 1_000_000));
}

async function startServers(
  { credentials, ports = {}, seed, dataDir, wallClock, marketTime = ONE_TIME }: WorldOptions,
  model: WorldModel,
  onChain: Pick<ChainVenue, 'mint' | 'caughtUp'> | null,
): Promise<{ readonly urls: Omit<WorldUrls, 'chains'>; close(): Promise<void> }> {
  const { clock, exchange, faults, random, rounds, prices, quotes, stats, delays } = model;
  const at = (name: keyof WorldPorts) => ({ port: ports[name] ?? 0 });
  const wall = { clock: wallClock, marketTime };
  const rest = await startClobRest({
    exchange,
    random,
    wall,
    ...(onChain === null ? {} : { caughtUp: onChain.caughtUp }),
    ...at('clobRest'),
  });
  const sockets = await startClobSockets({ exchange, ...at('clobSockets') });
  const dataApi = await startDataApi({
    exchange,
    volumes: createEventVolumes(model),
    ...at('dataApi'),
  });
  const site = await startSite({ clock, faults, ...at('site') });
  const faucet = await startFaucet({ exchange, mint: onChain?.mint ?? null, ...at('faucet') });
  const gamma = await startGamma({
    ...at('gamma'),
    clock,
    faults,
    exchange,
    stats,
    listings: () => model.listings(),
    strikeE18: rounds.strikeE18,
    finalE18: rounds.finalE18,
    twap: model.rule === 'twap_60',
    strikeDelayMs: delays.strikeDelayMs,
  });
  const rtds = await startRtds({ ...at('rtds'), clock, faults, prices, exchange: quotes });
  const inference = await startInference({
    ...at('inference'),
    clock,
    faults,
    apiKey: credentials.inferenceKey,
    infer: (topic, second) => model.infer(topic, second),
  });
  const streams = await startDataStreams({
    ...at('dataStreams'),
    clock,
    faults,
    prices,
    account: credentials.dataStreams,
    wall,
  });
  const exchangeFeed = await startExchangeFeed({
    ...at('exchange'),
    clock,
    faults,
    exchange: quotes,
  });
  const solana = await startSolanaRpc({
    clock: wallClock,
    seed,
    folder: dataDir === null ? null : join(dataDir, 'solana'),
    faults,
    ...at('solanaRpc'),
  });
  const openId =
    credentials.openId === undefined
      ? null
      : await startOpenId({ client: credentials.openId, ...at('openId') });
  const languageModel =
    credentials.languageModelKey === undefined
      ? null
      : await startLanguageModel({
          clock: wallClock,
          faults,
          key: credentials.languageModelKey,
          ...at('languageModel'),
        });
  const social = await startSocial({ clock: wallClock, seed, ...at('social') });
  const push = await startPush({ clock: wallClock, faults, ...at('push') });
  const control = await startControl({ faults, clock, ...at('control') });
  return {
    urls: {
      clobRest: rest.url,
      clobMarketSocket: sockets.marketUrl,
      clobUserSocket: sockets.userUrl,
      dataApi: dataApi.url,
      site: site.url,
      faucet: faucet.url,
      gamma: gamma.url,
      rtds: rtds.socketUrl,
      inference: `${inference.url}/v2`,
      dataStreamsRest: streams.url,
      dataStreamsSocket: streams.socketUrl,
      exchangeRest: exchangeFeed.url,
      exchangeSocket: exchangeFeed.socketUrl,
      solanaRpc: solana.url,
      openId: openId?.url ?? null,
      languageModel: languageModel === null ? null : `${languageModel.url}/v1`,
      social: social.url,
      push: push.url,
      control: control.url,
    },
    async close() {
      await Promise.all(
        [
          rest,
          sockets,
          dataApi,
          site,
          faucet,
          gamma,
          rtds,
          inference,
          streams,
          exchangeFeed,
          solana,
          social,
          push,
          control,
        ].map((server) => server.close()),
      );
      await Promise.all([openId?.close(), languageModel?.close()]);
    },
  };
}
