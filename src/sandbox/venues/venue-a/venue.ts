import { join } from 'node:path';
import { AppError } from '../../../domain/errors.ts';
import { ONE_TIME } from '../../../ports/market-time.ts';
import type { VenueModel } from '../../engine/exchange.ts';
import { openRecordStore } from '../../storage/record-store.ts';
import type { OpenVenue, SandboxVenue, VenueParts } from '../contract.ts';
import { startBridge } from './bridge/bridge.ts';
import { deployContracts } from './chain/deploy-contracts.ts';
import { startClobRest } from './clob/clob-rest.ts';
import { startClobSockets } from './clob/clob-sockets.ts';
import { startDataApi } from './data/data-api.ts';
import { createEventVolumes } from './data/event-volumes.ts';
import { startFaucet } from './faucet.ts';
import { startGamma } from './gamma/gamma.ts';
import { startRelayer } from './relayer/relayer.ts';
import { startRtds } from './rtds.ts';
import { ChainAllowances } from './settlement/chain-allowances.ts';
import { ChainSettler } from './settlement/chain-settler.ts';
import { startChainVenue, type ChainVenue } from './settlement/chain-venue.ts';
import { startSite } from './site.ts';
import { startWorldModel, type WorldModel } from './world-model.ts';

/** Base addresses of the venue's servers, without trailing slashes. */
export type VenueAUrls = Readonly<
  Record<
    | 'clobRest'
    | 'clobMarketSocket'
    | 'clobUserSocket'
    | 'gamma'
    | 'dataApi'
    | 'site'
    | 'rtds'
    | 'faucet',
    string
  >
> & {
  /** Null in a world without chains. */
  readonly relayer: string | null;
  readonly bridge: string | null;
};

/** The venue as it runs, with its order book. */
export interface OpenVenueA extends OpenVenue<VenueAUrls> {
  readonly exchange: VenueModel;
}

/**
 * The venue: an order book that settles on Polygon, its catalogue, feeds, relayer, bridge and
 * faucet.
 */
export const venueA: SandboxVenue<VenueAUrls, OpenVenueA> = {
  contracts: { polygon: deployContracts },
  open: openVenue,
};

async function openVenue(parts: VenueParts): Promise<OpenVenueA> {
  const { options, shared, store, foundedAtMs } = parts;
  const onChain =
    options.settlement === 'chain'
      ? { settler: new ChainSettler(), allowances: new ChainAllowances() }
      : null;
  const model = await startWorldModel(
    {
      ...options,
      ...onChain,
      prices: shared.prices,
      foundedAtMs,
      ...(store === null || store.snapshot === null ? {} : { snapshot: store.snapshot }),
      onDurableChange: (records) => store?.append(records),
      onVenue: (exchange) => store?.begin(() => exchange.snapshot()),
    },
    shared,
  );
  const late: { venue: ChainVenue | null } = { venue: null };
  const joined = (): ChainVenue => late.venue ?? notYet();
  const servers = await startServers(
    options,
    model,
    onChain === null
      ? null
      : {
          mint: async (to, micros) => joined().mint(to, micros),
          makeTradable: async (wallet) => joined().makeTradable(wallet),
          caughtUp: async () => joined().caughtUp(),
        },
  );
  const acts = await startChainActs(parts, model, onChain);
  late.venue = acts?.venue ?? null;
  return {
    urls: {
      ...servers.urls,
      relayer: acts?.urls.relayer ?? null,
      bridge: acts?.urls.bridge ?? null,
    },
    exchange: model.exchange,
    async close() {
      model.stop();
      await Promise.all([servers.close(), acts?.close()]);
    },
  };
}

/** Who acts for the venue on the chains; null where the world does without. */
async function startChainActs(
  { options: { credentials, dataDir, wallClock }, chains: starting, solanaRpcUrl }: VenueParts,
  model: WorldModel,
  onChain: { readonly settler: ChainSettler; readonly allowances: ChainAllowances } | null,
): Promise<{
  readonly urls: { readonly relayer: string; readonly bridge: string };
  readonly venue: ChainVenue | null;
  close(): Promise<void>;
} | null> {
  if (starting === null) return null;
  const { faults, random } = model;
  const chains = await starting;
  const records = <T>(name: string) =>
    openRecordStore<T>(dataDir === null ? null : join(dataDir, name), 1);
  const relayer = await startRelayer({
    chain: chains.polygon,
    faults,
    random,
    clock: wallClock,
    findBuilder: (key) => (key === credentials.relayer.key ? credentials.relayer : null),
    actions: records('relayer-actions.jsonl'),
    transactions: records('relayer-transactions.jsonl'),
  });
  const bridge = await startBridge({
    polygon: chains.polygon,
    base: chains.base,
    solanaRpcUrl,
    faults,
    clock: wallClock,
    btcUsdMicros: () => btcUsdMicros(model),
    wallets: records('bridge-wallets.jsonl'),
    transfers: records('bridge-transfers.jsonl'),
    transactions: records('bridge-transactions.jsonl'),
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
          transactions: records('operator-transactions.jsonl'),
        });
  return {
    urls: { relayer: relayer.url, bridge: bridge.url },
    venue,
    async close() {
      await venue?.stop();
      await bridge.close();
      await relayer.close();
    },
  };
}

function notYet(): never {
  throw new AppError('chain_unavailable', 'the chain is being joined to the venue', {
    retryable: true,
  });
}

/**
 * A whole bitcoin now, in millionths of a dollar. Errors: `feed_stale` while the recorded prices
 * have a hole.
 */
function btcUsdMicros({ prices, clock }: WorldModel): bigint {
  const usd = prices.valueAt('BTC', Math.floor(clock.nowMs() / 1_000));
  if (usd === null)
    throw new AppError('feed_stale', 'there is no price of bitcoin at this moment', {
      retryable: true,
    });
  return BigInt(Math.round(usd * 1_000_000));
}

async function startServers(
  { wallClock, marketTime = ONE_TIME }: VenueParts['options'],
  model: WorldModel,
  onChain: Pick<ChainVenue, 'mint' | 'makeTradable' | 'caughtUp'> | null,
): Promise<{
  readonly urls: Omit<VenueAUrls, 'relayer' | 'bridge'>;
  close(): Promise<void>;
}> {
  const { clock, exchange, faults, random, rounds, prices, quotes, stats, delays } = model;
  const rest = await startClobRest({
    exchange,
    random,
    wall: { clock: wallClock, marketTime },
    ...(onChain === null ? {} : { caughtUp: onChain.caughtUp }),
  });
  const sockets = await startClobSockets({ exchange });
  const dataApi = await startDataApi({ exchange, volumes: createEventVolumes(model) });
  const site = await startSite({ clock, faults });
  const faucet = await startFaucet({ exchange, onChain });
  const gamma = await startGamma({
    port: 0,
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
  const rtds = await startRtds({ port: 0, clock, faults, prices, exchange: quotes });
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
    },
    async close() {
      await Promise.all(
        [rest, sockets, dataApi, site, faucet, gamma, rtds].map((server) => server.close()),
      );
    },
  };
}
