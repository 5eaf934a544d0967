import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import type { FeedsPlan } from '../../config/profiles/feeds.ts';
import { createExchangeFeed } from '../adapters/exchange/exchange-feed.ts';
import { openFeedLink } from '../adapters/feed-link/feed-link.ts';
import { linkedAssessor } from '../adapters/feed-link/linked-assessor.ts';
import { linkedBooks } from '../adapters/feed-link/linked-books.ts';
import { linkedCatalogue, linkedScan } from '../adapters/feed-link/linked-catalogue.ts';
import { linkedInference } from '../adapters/feed-link/linked-inference.ts';
import { linkedPrices } from '../adapters/feed-link/linked-prices.ts';
import { EXCHANGE, ORACLE } from '../adapters/feed-link/protocol.ts';
import { SPEC_TOPICS, createInferenceNetwork } from '../adapters/inference/inference-network.ts';
import { createDataStreams } from '../adapters/oracle/data-streams.ts';
import { createRiskAssessor } from '../adapters/risk-assessor/risk-assessor.ts';
import type { RiskAssessor } from '../ports/risk-assessor.ts';
import type { Venue } from '../ports/venue.ts';
import { ASSETS, type CorePorts } from './core.ts';
import type { OpenRuntime } from './runtime.ts';

/** Prices, predictions, books and markets, from their sources or from feeds. */
export interface MarketFeeds extends Pick<CorePorts, 'oracle' | 'exchange' | 'inference'> {
  readonly assessor: RiskAssessor | null;
  /**
   * Returns the same venue, of which books, prices and what agents discover come from there. What
   * orders and people ask is asked of the venue itself.
   */
  venue(venue: Venue): Venue;
  /** Ms since a feed has answered; 0 where this process reads the sources itself. */
  silentMs(): number;
  close(): Promise<void>;
}

/** The network whose topic ids are documented (feeds.md section 1.2). */
const INFERENCE_CHAIN = 'allora-testnet-1';

/** Opens what the profile names: the sources themselves, or a link to feeds that read them. */
export function openMarketFeeds({
  profile,
  endpoints,
  ...runtime
}: Pick<OpenRuntime, 'clock' | 'wallClock' | 'metrics' | 'random' | 'log'> & {
  readonly profile: Profile;
  readonly endpoints: Endpoints;
}): MarketFeeds {
  return profile.feeds === null
    ? openSources(profile, endpoints, runtime)
    : openLinked(profile.feeds, runtime);
}

function openSources(
  { credentials, dataStreamsFeeds }: Pick<Profile, 'credentials' | 'dataStreamsFeeds'>,
  endpoints: Endpoints,
  { clock, wallClock, metrics }: Pick<OpenRuntime, 'clock' | 'wallClock' | 'metrics'>,
): MarketFeeds {
  const oracle =
    credentials.dataStreams === null
      ? null
      : createDataStreams({
          restUrl: endpoints.dataStreamsRest,
          socketUrl: endpoints.dataStreamsSocket,
          credentials: credentials.dataStreams,
          feeds: ASSETS.map((asset) => ({
            asset,
            twapSeconds: null,
            feedId: dataStreamsFeeds[asset],
          })),
          clock,
          wallClock,
          metrics,
        });
  const exchange = createExchangeFeed({
    restUrl: endpoints.exchangeRest,
    socketUrl: endpoints.exchangeSocket,
    clock,
    metrics,
  });
  const inference = createInferenceNetwork({
    baseUrl: endpoints.inference,
    key: credentials.inferenceKey,
    chainId: INFERENCE_CHAIN,
    topics: SPEC_TOPICS,
    clock,
    metrics,
  });
  const assessor =
    endpoints.assessor === null || credentials.assessor === null
      ? null
      : createRiskAssessor({ baseUrl: endpoints.assessor, ...credentials.assessor });
  return {
    oracle,
    exchange,
    inference,
    assessor,
    venue: (venue) => venue,
    silentMs: () => 0,
    async close() {
      await Promise.all([oracle?.close(), exchange.close(), inference.close(), assessor?.close()]);
    },
  };
}

function openLinked(
  { urls, secret }: FeedsPlan,
  { clock, ...runtime }: Pick<OpenRuntime, 'clock' | 'wallClock' | 'metrics' | 'random' | 'log'>,
): MarketFeeds {
  const link = openFeedLink({ ...runtime, urls, secret });
  return {
    // Whether there is a key to the oracle is the feed's to know: without one it says so once.
    oracle: linkedPrices({ link, name: 'oracle', source: ORACLE, clock }),
    exchange: linkedPrices({ link, name: 'exchange', source: EXCHANGE, clock }),
    inference: linkedInference(link, clock),
    // So is whether there is an assessor.
    assessor: linkedAssessor(link),
    venue: (venue) => ({
      ...venue,
      discovery: linkedCatalogue(link, venue.id),
      rounds: venue.rounds && linkedCatalogue(link, venue.id),
      scan: venue.scan && linkedScan(link, venue.id),
      books: venue.books && linkedBooks(link, venue.id, clock),
      prices:
        venue.prices && linkedPrices({ link, name: venue.prices.name, source: venue.id, clock }),
    }),
    silentMs: () => link.silentMs(),
    close: async () => link.close(),
  };
}
