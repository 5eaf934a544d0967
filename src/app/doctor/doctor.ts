import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DOCTOR } from '../../../config/limits/doctor.ts';
import type { Profile } from '../../../config/profiles/profile.ts';
import type { Environment } from '../../../config/schema.ts';
import { createScaledClock } from '../../adapters/clock/scaled-clock.ts';
import { isFolderLocked } from '../../adapters/lmdb/folder-lock.ts';
import { createPromMetrics } from '../../adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../../adapters/random/system-random.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { endpointsOf, runningAddresses, type Addresses } from '../addresses.ts';
import { openOutside, type Outside } from '../outside.ts';
import { lastRun } from '../sandbox-time.ts';
import { readUpkeep } from '../upkeep.ts';
import { chainChecks, contractChecks } from './chain-checks.ts';
import { check, fail, sentenceOf, skippedCheck, type Check } from './check.ts';
import {
  clockFacts,
  hostClockCheck,
  machineClockChecks,
  venueClockChecks,
} from './clock-checks.ts';
import { daemonChecks } from './daemon-checks.ts';
import { diskChecks } from './disk-checks.ts';
import { feedChecks } from './feed-checks.ts';
import { folderChecks } from './folder-checks.ts';
import { calledHosts, hostChecks } from './host-checks.ts';
import { probeHost, type HostProbe } from './host-probe.ts';
import { keyChecks } from './key-checks.ts';
import { machineChecks, machineFacts } from './machine-checks.ts';
import { moneyChecks } from './money-checks.ts';
import { networkChecks, outerAddresses } from './network-checks.ts';
import { peopleChecks } from './people-checks.ts';
import { platformChecks, platformFacts } from './platform-checks.ts';
import { prometheusChecks, testAlertCheck } from './prometheus-checks.ts';
import { createSecretFilter, resultOf, withoutSecrets, type DoctorReport } from './report.ts';
import { runChecks, type CheckReport } from './run-checks.ts';
import { readSettings } from './settings-checks.ts';
import { storeChecks } from './store-checks.ts';
import { readStoreFacts } from './store-facts.ts';
import { once, venueChecks, viewChecks } from './venue-checks.ts';

/** What a run is about. */
export interface DoctorOrder {
  /** Errors: `config_invalid`. */
  readonly read: () => Environment;
  /** Takes the place of PREDICTD_DATA; null to leave it. */
  readonly data: string | null;
  /** The package: its version, and the versions of Node it runs on. */
  readonly version: string;
  readonly engines: string;
  /** Base address of a Prometheus; null to leave it out. */
  readonly prometheus: string | null;
  /** Base address of an Alertmanager that one test alert is sent to; null to send none. */
  readonly testAlert: string | null;
  /** Wall time. */
  readonly clock: Clock;
}

/**
 * Runs every check that applies, this machine's own first and then what is outside, and gives the
 * report. Nothing is locked, nothing that lasts is written, nothing is signed with money.
 */
export async function runDoctor(order: DoctorOrder): Promise<DoctorReport> {
  const { clock } = order;
  const beganAtMs = clock.nowMs();
  const run = (checks: readonly Check[]): Promise<readonly CheckReport[]> =>
    runChecks(checks, {
      clock,
      atOnce: DOCTOR.checksAtOnce,
      checkMs: DOCTOR.checkMs,
      endsAtMs: beganAtMs + DOCTOR.totalMs,
    });
  const { environment, profile, check: settings } = readSettings(order.read);
  const folder =
    environment === null && order.data === null
      ? null
      : resolve(order.data ?? environment?.PREDICTD_DATA ?? '');
  const daemon = folder === null ? null : await runningAddresses(folder);
  const own = await run([
    settings,
    ...platformChecks(platformFacts(order.engines)),
    ...machineChecks(machineFacts(daemon?.pid ?? null)),
    ...machineClockChecks(once(clockFacts)),
    ...(environment === null || profile === null || folder === null
      ? [skippedCheck('everything else', 'the settings have to be read first')]
      : await ownChecks({ environment, profile, folder, daemon, clock })),
    ...prometheusChecks(order.prometheus),
    testAlertCheck(order.testAlert, () => clock.nowMs()),
  ]);
  const outside =
    profile === null || folder === null
      ? []
      : await runOutside({ profile, folder, daemon, clock }, run);
  const checks = [...own, ...outside];
  return withoutSecrets(
    {
      version: order.version,
      profile: profile?.name ?? null,
      folder,
      result: resultOf(checks),
      tookMs: Math.round(clock.nowMs() - beganAtMs),
      checks,
    },
    createSecretFilter(environment ?? {}),
  );
}

interface FolderParts {
  readonly profile: Profile;
  readonly folder: string;
  readonly daemon: Addresses | null;
  readonly clock: Clock;
}

async function ownChecks({
  environment,
  profile,
  folder,
  daemon,
  clock,
}: FolderParts & { readonly environment: Environment }): Promise<readonly Check[]> {
  const readStore = once(() => readStoreFacts(folder));
  const isLocked = await isFolderLocked(resolve(folder, 'store'));
  const isMoneyReal = profile.grantUsdcMicros === 0;
  const [internalSecret = null] = profile.identity.internalSecrets;
  return [
    ...folderChecks({ folder, uid: process.getuid?.() ?? null, statfs, nowMs: clock.nowMs() }),
    ...diskChecks(folder),
    ...keyChecks({ folder, environment, random: createSystemRandom(), readStore }),
    ...storeChecks({
      read: readStore,
      upkeep: readUpkeep(folder),
      isInUse: isLocked,
      isMoneyReal,
      nowMs: clock.nowMs(),
    }),
    ...networkChecks({ environment, daemon, addresses: outerAddresses(), isMoneyReal }),
    ...daemonChecks({ folder, daemon, isLocked, profile: profile.name, internalSecret }),
  ];
}

async function runOutside(
  { profile, folder, daemon, clock: wallClock }: FolderParts,
  run: (checks: readonly Check[]) => Promise<readonly CheckReport[]>,
): Promise<readonly CheckReport[]> {
  const endpoints = profile.endpoints ?? (daemon === null ? null : endpointsOf(daemon));
  if (endpoints === null)
    return run([
      skippedCheck(
        'outside',
        "the sandbox's venues, chains and feeds run with its daemon, and none runs in this folder",
      ),
    ]);
  const answered: HostProbe[] = [];
  const hosts = hostChecks({
    hosts: calledHosts(endpoints, profile),
    nowMs: () => wallClock.nowMs(),
    async probe(address, timeoutMs) {
      const probe = await probeHost(address, timeoutMs);
      answered.push(probe);
      return probe;
    },
  });
  const anchor = profile.world === null ? null : lastRun(folder);
  const clock = anchor === null ? wallClock : createScaledClock(anchor);
  const opened = await openOutside({
    profile,
    endpoints,
    clock,
    wallClock,
    // Counted and shown nowhere.
    metrics: createPromMetrics(),
    log: SILENT,
  }).catch((cause: unknown) => sentenceOf(cause));
  const remedy = 'set what it names as config/README.md says';
  const rest =
    typeof opened === 'string'
      ? [check('venues', { level: 'fail', remedy }, async () => fail(opened, remedy))]
      : outsideChecks(opened);
  const reports = await run([...hosts, ...rest]);
  const clocks = await run([hostClockCheck(answered)]);
  if (typeof opened !== 'string') await closed(opened, wallClock);
  return [...reports, ...clocks];
}

function outsideChecks(outside: Outside): readonly Check[] {
  const { profile, endpoints, external, clock, wallClock, metrics } = outside;
  const { chains } = external;
  const nowMs = (): number => wallClock.nowMs();
  return [
    ...venueChecks(external.venues, external.closedVenues),
    ...viewChecks(external.views),
    ...venueClockChecks(external.venues, clock),
    ...chainChecks({
      evm: chains.evm,
      solana: chains.solana,
      node: chains.solanaNode,
      makesBlocks: profile.world === null,
      nowMs,
    }),
    ...contractChecks({ ...profile, polygon: chains.evm.POLYGON }),
    ...feedChecks({ ...external, clock }),
    ...moneyChecks({
      bridge: external.bridge,
      relayer: outside.relayer,
      hasBuilder: profile.credentials.relayer !== null,
      router: external.tokens.router,
      tokens: external.tokens.data,
      hasPinning: profile.credentials.pinningKey !== null,
      hasIndexer: external.tokens.index !== null,
    }),
    ...peopleChecks(profile, endpoints, metrics),
  ];
}

/** Ends the connections; those that wait for an answer are left to the end of the process. */
function closed({ close }: Outside, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(DOCTOR.closeMs, resolve);
    close()
      .catch(() => undefined)
      .then(() => {
        timer.cancel();
        resolve();
      })
      .catch(() => undefined);
  });
}

const unsaid = (): void => undefined;
const SILENT: Log = { debug: unsaid, info: unsaid, warn: unsaid, error: unsaid };
