import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { createBridge } from '../adapters/bridge/bridge.ts';
import { createPinning } from '../adapters/pinning/pinning.ts';
import { NETWORK } from '../adapters/wire/transport.ts';
import type { Bridge } from '../ports/bridge.ts';
import type { PositionsView } from '../ports/positions-view.ts';
import type { PublicFiles } from '../ports/public-files.ts';
import type { TransactionQueue } from '../services/transactions/transactions.ts';
import { VENUES, VIEWS } from '../venues/table.ts';
import { createChainHealth, settledVenue, type ChainHealth } from './chain-health.ts';
import { openChains, type Chains } from './chains.ts';
import { leasedVenue } from './leased.ts';
import type { CorePorts } from './core.ts';
import { openMarketFeeds } from './market-feeds.ts';
import { openVenues, type OpenedVenues } from './open-venues.ts';
import type { OpenRuntime } from './runtime.ts';
import { openTokenSources, type TokenSources } from './tokens.ts';

/** The outside world behind ports, by wire adapters. */
export interface ExternalServices
  extends Pick<CorePorts, 'venues' | 'oracle' | 'exchange' | 'inference' | 'assessor'>,
    OpenedVenues {
  readonly chains: Chains;
  readonly chainHealth: ChainHealth;
  readonly bridge: Bridge;
  readonly tokens: TokenSources;
  readonly files: PublicFiles;
  /** Ms since a feed has answered; 0 where this process reads the sources itself. */
  feedsSilentMs(): number;
  /** View-only venues. */
  readonly views: readonly PositionsView[];
  close(): Promise<void>;
}

/**
 * Makes the wire adapters of a profile and opens its venues. Nothing is called before a port is
 * used, but for a feed, which is joined at once where the profile names some. Errors: those of a
 * venue's `open`.
 */
export async function openExternalServices(
  parts: Pick<
    OpenRuntime,
    | 'store'
    | 'vault'
    | 'keccak'
    | 'wallets'
    | 'random'
    | 'clock'
    | 'wallClock'
    | 'metrics'
    | 'log'
    | 'lease'
  > & {
    readonly profile: Profile;
    readonly endpoints: Endpoints;
    /** Lent to the venues. */
    readonly transactions: TransactionQueue;
  },
): Promise<ExternalServices> {
  const { profile, endpoints, wallClock, metrics } = parts;
  const { credentials } = profile;
  const settings = profile.venues(endpoints);
  const chainHealth = createChainHealth({ clock: wallClock, log: parts.log });
  const chains = openChains(endpoints, metrics, chainHealth);
  const opened = await openVenues({
    // What a profile says nothing of is not served.
    rows: VENUES.filter(({ id }) => id in settings),
    parts: { ...parts, transport: NETWORK, chain: chains.clients },
    settings,
    wallClock,
    log: parts.log,
  });
  const views = VIEWS.filter(({ id }) => id in settings).map((row) =>
    row.open({ transport: NETWORK, wallClock, metrics }, settings[row.id]),
  );
  const feeds = openMarketFeeds(parts);
  // Its calls are counted in wall time: nothing about money runs faster in a sandbox.
  const bridge = createBridge({
    baseUrl: profile.safeServices(endpoints).bridge,
    clock: wallClock,
    metrics,
  });
  const tokens = openTokenSources(endpoints, credentials, { clock: wallClock, metrics });
  const files = createPinning({ baseUrl: endpoints.pinning, key: credentials.pinningKey });
  return {
    ...opened,
    venues: opened.venues.map((venue) =>
      settledVenue(leasedVenue(feeds.venue(venue), parts.lease), chainHealth),
    ),
    oracle: feeds.oracle,
    exchange: feeds.exchange,
    inference: feeds.inference,
    assessor: feeds.assessor,
    chains,
    chainHealth,
    bridge,
    tokens,
    files,
    feedsSilentMs: () => feeds.silentMs(),
    views,
    close: async () => {
      await Promise.all([
        ...opened.venues.map((venue) => venue.close()),
        feeds.close(),
        chains.close(),
        bridge.close(),
        tokens.close(),
        files.close(),
        ...views.map((view) => view.close()),
      ]);
    },
  };
}
