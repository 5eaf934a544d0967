import { join } from 'node:path';
import { SANDBOX } from '../../config/limits/sandbox.ts';
import { ONE_TIME } from '../ports/market-time.ts';
import { startChainGate } from './chains/evm/chain-gate.ts';
import { startSolanaRpc, type SolanaRpc } from './chains/solana/solana-rpc.ts';
import { startWorldChains, type WorldChains } from './chains/world-chains.ts';
import { startControl } from './control.ts';
import type { FaultBoard } from './faults.ts';
import { startDataStreams } from './feeds/data-streams/data-streams.ts';
import { startExchangeFeed } from './feeds/exchange/exchange-socket.ts';
import { startInference } from './feeds/inference/inference.ts';
import { startLanguageModel } from './feeds/language-model/language-model.ts';
import type { SettlementPrices } from './feeds/prices/settlement-prices.ts';
import { openWorldPrices } from './feeds/world-prices.ts';
import { startOpenId } from './identity/open-id/open-id.ts';
import { startPush } from './identity/push/push.ts';
import { startSocial } from './identity/social/social.ts';
import { registryFounding } from './registry/registry-programs.ts';
import { launchProgram } from './launches/launch-program.ts';
import { startPinning } from './launches/pinning-server.ts';
import { createSharedModel, type SharedModel } from './shared-model.ts';
import { startRouter } from './router/router-server.ts';
import { openSolanaSide, routerFounding } from './router/solana-side.ts';
import { placeTokens } from './router/swap-chain.ts';
import { startSwapChains, type SwapChains } from './router/swap-chains.ts';
import { openWorldStore } from './storage/persistence.ts';
import { startDexScreener } from './tokens/dex-screener.ts';
import { startGeckoTerminal } from './tokens/gecko-terminal.ts';
import { createTokenMarket } from './tokens/token-market.ts';
import { SANDBOX_TOKENS } from './tokens/token-table.ts';
import type { OpenVenue, SandboxVenue, VenueParts } from './venues/contract.ts';
import { SANDBOX_VENUES, type OpenVenues, type VenueUrls } from './venues/table.ts';
import type { Listening } from './wire/http-server.ts';
import type { WorldOptions, WorldUrls } from './world-settings.ts';

/** A running world. */
export interface World {
  readonly urls: WorldUrls;
  readonly faults: FaultBoard;
  readonly venues: OpenVenues;
  readonly prices: SettlementPrices;
  /** Settles with a sentence when the world cannot go on. */
  readonly lost: Promise<string>;
  close(): Promise<void>;
}

const ROWS: readonly (readonly [id: string, row: SandboxVenue])[] = Object.entries(SANDBOX_VENUES);

/**
 * Starts the outside world on loopback: prices, venues, feeds; with a folder it goes on where its
 * last run ended. Throws a RangeError for an unknown fault or an unreadable recording. Errors:
 * `store_corrupt`.
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
  const shared = createSharedModel({ ...options, prices: prices.settlement });
  store?.begin(() => ({
    seed,
    foundedAtMs,
    prices: prices.process.checkpoint(
      Math.floor(clock.nowMs() / 1000) - SANDBOX.priceHistorySeconds,
    ),
  }));
  const [router, registry] = [routerFounding(), registryFounding()];
  const solana = await startSolanaRpc({
    clock: options.wallClock,
    seed,
    folder: options.dataDir === null ? null : join(options.dataDir, 'solana'),
    faults: shared.faults,
    founding: {
      programs: [launchProgram(), ...registry.programs, ...router.programs],
      accounts: [...registry.accounts, ...router.accounts],
    },
  });
  const chains = options.chains === false ? null : startChains(options);
  const venues = await openVenues((id) => ({
    options,
    shared,
    foundedAtMs,
    store: store?.venue(id) ?? null,
    chains,
    solanaRpcUrl: solana.url,
    solana,
  }));
  const servers = await startServers(options, shared, { world: chains, solana });
  const nodes = await chains;
  const gate = nodes === null ? null : await startGate(nodes, venues, { options, shared });
  return {
    urls: {
      ...servers.urls,
      solanaRpc: solana.url,
      chains:
        nodes === null || gate === null
          ? null
          : {
              polygonRpc: nodes.polygon.node.url,
              baseRpc: gate.url,
              ethereumRpc: servers.sideRpcUrls?.ETHEREUM ?? null,
              bscRpc: servers.sideRpcUrls?.BSC ?? null,
              arbitrumRpc: servers.sideRpcUrls?.ARBITRUM ?? null,
            },
      venues: urlsOf(venues),
    },
    faults: shared.faults,
    venues,
    prices: shared.prices,
    lost: nodes?.lost ?? new Promise(() => undefined),
    async close() {
      const open: readonly OpenVenue<unknown>[] = Object.values(venues);
      await gate?.close();
      await Promise.all([...open, servers, solana].map((part) => part.close()));
      await nodes?.close();
      store?.close();
    },
  };
}

/** Puts the faults of chain 8453 before its node. */
function startGate(
  { base }: WorldChains,
  venues: OpenVenues,
  { options, shared }: { readonly options: WorldOptions; readonly shared: SharedModel },
): Promise<Listening> {
  const open: readonly OpenVenue<unknown>[] = Object.values(venues);
  return startChainGate({
    node: base.node,
    faults: shared.faults,
    clock: options.wallClock,
    before: open.flatMap(({ beforeTransaction }) => beforeTransaction ?? []),
  });
}

/** Starts the local chains with what every venue has on them; who opens a venue waits for them. */
function startChains({
  seed,
  dataDir,
  wallClock,
  marketTime = ONE_TIME,
}: WorldOptions): Promise<WorldChains> {
  const starting = startWorldChains({
    seed,
    folder: dataDir,
    clock: wallClock,
    speed: marketTime.speed,
    contractsOn: (name) => [
      ...ROWS.flatMap(([, { contracts }]) => contracts[name] ?? []),
      (local) =>
        placeTokens(local, {
          chain: name === 'polygon' ? 'POLYGON' : 'BASE',
          tokens: SANDBOX_TOKENS,
        }),
    ],
  });
  starting.catch(() => undefined); // who waits for them hears of it
  return starting;
}

async function openVenues(partsOf: (id: string) => VenueParts): Promise<OpenVenues> {
  const open: (readonly [string, OpenVenue<unknown>])[] = [];
  for (const [id, row] of ROWS) open.push([id, await row.open(partsOf(id))]);
  return Object.fromEntries(open) as unknown as OpenVenues; // one for each row, in its own type
}

function urlsOf(venues: OpenVenues): VenueUrls {
  const urls = Object.entries(venues).map(([id, venue]) => [id, venue.urls] as const);
  return Object.fromEntries(urls) as unknown as VenueUrls; // one for each row, in its own type
}

/** Starts what is of no venue. */
async function startServers(
  { credentials, seed, wallClock, dataDir, marketTime = ONE_TIME }: WorldOptions,
  { clock, faults, prices, quotes, infer }: SharedModel,
  { world, solana }: { readonly world: Promise<WorldChains> | null; readonly solana: SolanaRpc },
): Promise<{
  readonly urls: Omit<WorldUrls, 'chains' | 'solanaRpc' | 'venues'>;
  readonly sideRpcUrls: SwapChains['rpcUrls'] | null;
  close(): Promise<void>;
}> {
  const inference = await startInference({
    port: 0,
    clock,
    faults,
    apiKey: credentials.inferenceKey,
    infer,
  });
  const streams = await startDataStreams({
    port: 0,
    clock,
    faults,
    prices,
    account: credentials.dataStreams,
    wall: { clock: wallClock, marketTime },
  });
  const exchange = await startExchangeFeed({ port: 0, clock, faults, exchange: quotes });
  const openId =
    credentials.openId === undefined ? null : await startOpenId({ client: credentials.openId });
  const languageModel =
    credentials.languageModelKey === undefined
      ? null
      : await startLanguageModel({ clock: wallClock, faults, key: credentials.languageModelKey });
  const social = await startSocial({ clock: wallClock, seed });
  const push = await startPush({ clock: wallClock, faults });
  const pinning = await startPinning({
    faults,
    key: credentials.pinningKey,
    folder: dataDir === null ? null : join(dataDir, 'ipfs'),
  });
  const tokens = { market: createTokenMarket(seed, prices), clock, wallClock, faults };
  const rankings = await startGeckoTerminal(tokens);
  const pairs = await startDexScreener(tokens);
  const second = (): number => Math.floor(clock.nowMs() / 1000);
  const swaps =
    world === null
      ? null
      : await startSwapChains({
          seed,
          folder: dataDir,
          clock: wallClock,
          speed: marketTime.speed,
          world,
          market: tokens.market,
          second,
        });
  const router = await startRouter({
    ...tokens,
    chains: swaps,
    solana: openSolanaSide(solana, { market: tokens.market, second }),
  });
  const control = await startControl({ faults, clock });
  return {
    urls: {
      inference: `${inference.url}/v2`,
      dataStreamsRest: streams.url,
      dataStreamsSocket: streams.socketUrl,
      exchangeRest: exchange.url,
      exchangeSocket: exchange.socketUrl,
      openId: openId?.url ?? null,
      languageModel: languageModel === null ? null : `${languageModel.url}/v1`,
      social: social.url,
      push: push.url,
      pinning: pinning.url,
      geckoTerminal: `${rankings.url}/api/v2`,
      dexScreener: pairs.url,
      router: `${router.url}/v1`,
      control: control.url,
    },
    sideRpcUrls: swaps?.rpcUrls ?? null,
    async close() {
      await Promise.all(
        [inference, streams, exchange, social, push, pinning, rankings, pairs, router, control].map(
          (server) => server.close(),
        ),
      );
      await Promise.all([openId?.close(), languageModel?.close(), swaps?.close()]);
    },
  };
}
