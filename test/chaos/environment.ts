import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { startWorld, type World } from '../../src/sandbox/world.ts';
import type { WorldUrls } from '../../src/sandbox/world-settings.ts';
import { worldSettings } from '../crash/support/world-settings.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';
import {
  CALM,
  createFaultSchedule,
  type Blow,
  type Fault,
  type Unit,
  type Way,
} from './proxy/fault-schedule.ts';
import { startProxy, type Proxy, type Target } from './proxy/proxy.ts';
import { keepService, type KeptService } from './service.ts';

/** Faults that happened on one link, one way. */
export interface BlowCount {
  readonly link: string;
  readonly way: Way;
  readonly fault: Fault;
  readonly count: number;
}

/**
 * A world, a daemon in a process of its own, and a proxy on every line between them and to the
 * daemon's callers.
 */
export interface Environment {
  readonly world: World;
  readonly service: KeptService;
  readonly folder: string;
  /** Base URL of the service behind its proxy: stays the same over all lives of the daemon. */
  readonly apiUrl: string;
  /** Base URL of the venue's order interface behind its proxy. */
  readonly clobUrl: string;
  /** From now on the fault schedule of the seed is on all lines. */
  load(): void;
  calm(): void;
  blows(): readonly BlowCount[];
  close(): Promise<void>;
}

/** The sandbox's own, which no real venue has, and what is beside trading. */
const DIRECT: ReadonlySet<string> = new Set([
  'faucet',
  'control',
  'openId',
  'social',
  'languageModel',
  'push',
]);

/**
 * Starts world, proxies and daemon; there are no faults. The venue has no makers: what happens in
 * its markets is the caller's.
 */
export async function openEnvironment(
  seed: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-chaos-'));
  const clock = createWallClock();
  const world = await startWorld({
    seed: 7,
    clock,
    wallClock: clock,
    dataDir: null,
    makers: false,
    credentials: WORLD_CREDENTIALS,
    delays: { minedAfterMs: 500, confirmedAfterMs: 2_500 },
  });
  const counts = new Map<string, BlowCount>();
  const onBlow = ({ link, way }: Unit, { fault }: Blow): void => {
    const name = `${link} ${way} ${fault}`;
    counts.set(name, { link, way, fault, count: (counts.get(name)?.count ?? 0) + 1 });
  };
  const proxies: Proxy[] = [];
  const open = async (name: string, target: () => Target | null): Promise<Proxy> => {
    const proxy = await startProxy({ name, target, clock, onBlow });
    proxies.push(proxy);
    return proxy;
  };
  const urls = await behindProxies(world.urls, open);
  const service = keepService({
    ...worldSettings({ ...world, urls }),
    PREDICTD_PROFILE: 'test',
    PREDICTD_FAUCET_URL: world.urls.venues.venue_a.faucet,
    PREDICTD_DATA: join(folder, 'data'),
    PREDICTD_LOG_LEVEL: 'warn',
    ...settings,
  });
  const api = await open('api', () => service.target());
  await service.url();
  return {
    world,
    service,
    folder,
    apiUrl: `http://127.0.0.1:${api.port}`,
    clobUrl: urls.venues.venue_a.clobRest,
    load() {
      for (const proxy of proxies) proxy.setFaultSchedule(createFaultSchedule(seed));
    },
    calm() {
      for (const proxy of proxies) proxy.setFaultSchedule(CALM);
    },
    blows: () => [...counts.values()],
    async close() {
      await service.kill();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await world.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same addresses with a proxy before each server; addresses of one server share its proxy. */
async function behindProxies(
  urls: WorldUrls,
  open: (name: string, target: () => Target) => Promise<Proxy>,
): Promise<WorldUrls> {
  const byServer = new Map<string, Proxy>();
  const through = async (name: string, url: string): Promise<string> => {
    const { hostname: host, port, host: server } = new URL(url);
    const proxy = byServer.get(server) ?? (await open(name, () => ({ host, port: Number(port) })));
    byServer.set(server, proxy);
    return url.replace(server, `127.0.0.1:${proxy.port}`);
  };
  const all = async (group: object): Promise<object> => {
    const entries: [string, unknown][] = [];
    for (const [name, value] of Object.entries(group))
      entries.push([
        name,
        typeof value === 'string' && !DIRECT.has(name) ? await through(name, value) : value,
      ]);
    return Object.fromEntries(entries);
  };
  return {
    ...urls,
    ...(await all(urls)),
    chains: urls.chains === null ? null : { ...urls.chains, ...(await all(urls.chains)) },
    venues: {
      ...urls.venues,
      venue_a: { ...urls.venues.venue_a, ...(await all(urls.venues.venue_a)) },
    },
  };
}
