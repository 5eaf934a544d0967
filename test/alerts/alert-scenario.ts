import { createPromMetrics, type PromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { ASSETS } from '../../src/app/core.ts';
import { countedStore } from '../../src/app/counted-store.ts';
import { followFeedAges } from '../../src/app/feed-ages.ts';
import { gaugeBooks } from '../../src/app/supervise.ts';
import type { Store } from '../../src/ports/store.ts';
import { runScenario, type Scenario, type ScenarioFault } from '../scenarios/scenario.ts';
import { createScrapes, SCRAPE_MS, type Scrapes } from './scrapes.ts';
import type { WorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';

/** What else happens in the scenario. */
export interface AlertScenario {
  readonly faults: readonly ScenarioFault[];
  readonly books?: 'channel' | 'direct';
  readonly seed?: number;
  readonly store?: Store;
  /** Gets the outside world before the service is made. */
  found?(model: WorldModel): void;
  /** Called once the service is made. */
  begins?(
    parts: Pick<Scenario, 'service' | 'model' | 'clock'> & { readonly metrics: PromMetrics },
  ): void;
}

/**
 * Runs the whole service through a scenario on the virtual clock, with the metrics of the daemon,
 * scraped as Prometheus does.
 */
export async function scrapeScenario({
  faults,
  books = 'channel',
  seed = 1,
  store,
  found,
  begins,
}: AlertScenario): Promise<Scrapes> {
  const scrapes = createScrapes();
  const metrics = createPromMetrics({ venues: ['venue_a'] });
  let ends = (): void => undefined;
  const scenario = await runScenario(seed, faults, books, {
    metrics,
    ...(found === undefined ? {} : { found }),
    ...(store === undefined ? {} : { store: countedStore(store, metrics) }),
    begins(parts) {
      ends = keepScraping(parts, metrics, scrapes);
      begins?.({ ...parts, metrics });
    },
  });
  ends();
  await scenario.end();
  return scrapes;
}

/**
 * The looks of `watchRuntime` in src/app/compose.ts that depend on no process, and a scrape after
 * each.
 */
function keepScraping(
  { service, clock }: Pick<Scenario, 'service' | 'clock'>,
  metrics: PromMetrics,
  scrapes: Scrapes,
): () => void {
  const { oracle, exchange, predictions } = service.core;
  const feeds = ASSETS.filter((asset) => asset === 'BTC').flatMap((asset) => [
    { feed: 'oracle', readings: oracle.price(asset, null) },
    { feed: 'exchange', readings: exchange.price(asset) },
    { feed: 'inference', readings: predictions.latest(asset, '5m') },
  ]);
  const ages = followFeedAges({ feeds, clock, metrics });
  let isOver = false;
  const gauge = async (): Promise<void> => {
    if (isOver) return;
    clock.after(SCRAPE_MS, () => void gauge());
    gaugeBooks(service.core.venues, clock, metrics);
    service.core.trading.tellOrders();
    ages.gauge();
    scrapes.take(await metrics.renderMetrics());
  };
  void gauge();
  return () => {
    isOver = true;
    ages.stop();
  };
}
