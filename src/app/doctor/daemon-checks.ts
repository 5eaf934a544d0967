import { z } from 'zod';
import { DOCTOR } from '../../../config/limits/doctor.ts';
import type { Addresses } from '../addresses.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';
import { once } from './venue-checks.ts';

/** What the checks of a running daemon are about. */
export interface DaemonParts {
  readonly folder: string;
  /** Null where none answers. */
  readonly daemon: Pick<Addresses, 'api' | 'pid' | 'profile'> | null;
  /** True while a process has the store. */
  readonly isLocked: boolean;
  /** The profile of the settings that doctor was given. */
  readonly profile: string;
  /** Shown at `/metrics`; null without one. */
  readonly internalSecret: string | null;
}

const readySchema = z.object({
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

const NOT_RUNNING = skipped('no daemon runs in this folder');

/** Checks of the daemon that runs in the folder, and whether another one has it. */
export function daemonChecks(parts: DaemonParts): readonly Check[] {
  const { daemon } = parts;
  const metrics = once(() => readMetrics(daemon?.api ?? '', parts.internalSecret));
  const lost = { level: 'fail', remedy: 'read its log; systemctl status predictd' } as const;
  return [
    check('second daemon', lost, async () => lockFinding(parts)),
    check('ready', lost, async () => (daemon === null ? NOT_RUNNING : readyFinding(daemon.api))),
    check('metrics', lost, async () =>
      daemon === null ? NOT_RUNNING : metricsFinding(await metrics()),
    ),
    check('foreign orders', lost, async () =>
      daemon === null ? NOT_RUNNING : foreignFinding(await metrics()),
    ),
  ];
}

function lockFinding({ folder, daemon, isLocked, profile }: DaemonParts): Finding {
  if (daemon === null)
    return isLocked
      ? warn(
          `a process has the store in ${folder} and does not answer: a start or an end is under way, or it hangs`,
          'wait a minute and run doctor again; then end that process',
        )
      : ok('no process has the store');
  if (daemon.profile !== profile)
    return fail(
      `the daemon there (pid ${daemon.pid}) runs the ${daemon.profile} profile, and these settings are of ${profile}`,
      "run doctor with the daemon's own settings",
    );
  return isLocked
    ? ok(`one daemon has the store, pid ${daemon.pid}`)
    : warn(
        `pid ${daemon.pid} answers, and its lock is not seen from here: another network namespace`,
        'start no second daemon on this folder, not in a container either: the lock would not hold it back',
      );
}

async function readyFinding(api: string): Promise<Finding> {
  const answer = await ask(`${api}/readyz`, {});
  if (answer.status === 200) return ok('it can do its work');
  const body = readySchema.safeParse(answer.body);
  const problems = (body.success ? (body.data.errors ?? []) : []).map(({ message }) => message);
  return fail(
    problems.length === 0 ? `/readyz answers ${answer.status}` : problems.join('; '),
    'see the runbook, config/prometheus/runbook.md, for each of them',
  );
}

function readMetrics(api: string, secret: string | null): Promise<Answer> {
  return ask(`${api}/metrics`, secret === null ? {} : { 'x-internal-secret': secret });
}

function metricsFinding({ status, text }: Answer): Finding {
  const families = text.match(/^# TYPE predictd_\w+/gm)?.length ?? 0;
  return status === 200 && families > 0
    ? ok(`/metrics answers with ${families} families of predictd`)
    : fail(
        `/metrics answers ${status}`,
        'Prometheus has to ask from this machine, or show the internal secret',
      );
}

/** Orders at venues that the store does not know, as a running daemon counts them. */
function foreignFinding({ status, text }: Answer): Finding {
  if (status !== 200) return skipped('the metrics that would show them were not given');
  const orders = [...text.matchAll(/^predictd_foreign_orders_total(?:\{[^}]*\})? (\S+)/gm)]
    .map(([, value]) => Number(value))
    .reduce((sum, value) => sum + value, 0);
  return orders === 0
    ? ok('venues reported no order on keys of users that the store does not know')
    : fail(
        `${orders} orders or fills on keys of users are of no order of this store, since the daemon started`,
        'see PredictdForeignOrders in the runbook: a restore, a second daemon, or a stolen key',
      );
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(DOCTOR.checkMs) });
  const text = await answer.text();
  try {
    return { status: answer.status, text, body: JSON.parse(text) };
  } catch {
    return { status: answer.status, text, body: null };
  }
}
