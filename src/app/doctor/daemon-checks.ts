import { z } from 'zod';
import { DOCTOR } from '../../../config/limits/doctor.ts';
import type { Addresses } from '../addresses.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';

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
  const lost = { level: 'fail', remedy: 'look at its log; systemctl status predictd' } as const;
  return [
    check('second daemon', lost, async () => lockFinding(parts)),
    check('ready', lost, async () => (daemon === null ? NOT_RUNNING : readyFinding(daemon.api))),
    check('metrics', lost, async () =>
      daemon === null ? NOT_RUNNING : metricsFinding(daemon.api, parts.internalSecret),
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

async function metricsFinding(api: string, secret: string | null): Promise<Finding> {
  const answer = await ask(
    `${api}/metrics`,
    secret === null ? {} : { 'x-internal-secret': secret },
  );
  const families = answer.text.match(/^# TYPE predictd_\w+/gm)?.length ?? 0;
  return answer.status === 200 && families > 0
    ? ok(`/metrics answers with ${families} families of predictd`)
    : fail(
        `/metrics answers ${answer.status}`,
        'Prometheus has to ask from this machine, or show the internal secret',
      );
}

async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string; readonly body: unknown }> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(DOCTOR.checkMs) });
  const text = await answer.text();
  try {
    return { status: answer.status, text, body: JSON.parse(text) };
  } catch {
    return { status: answer.status, text, body: null };
  }
}
