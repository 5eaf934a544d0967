import { z } from 'zod';
import { DOCTOR } from '../../../config/limits/doctor.ts';
import { createHttpCalls, type HttpCalls } from '../../adapters/wire/http-calls.ts';
import { readAnswer } from '../../adapters/wire/read-answer.ts';
import { check, fail, ok, skippedCheck, warn, type Check } from './check.ts';

const ruleGroups = z.object({
  data: z.object({
    groups: z.array(
      z.object({ rules: z.array(z.object({ name: z.string(), state: z.string().optional() })) }),
    ),
  }),
});
const targets = z.object({
  data: z.object({
    activeTargets: z.array(
      z.object({
        health: z.string(),
        lastError: z.string(),
        labels: z.record(z.string(), z.string()),
      }),
    ),
  }),
});
const receivers = z.object({
  data: z.object({ activeAlertmanagers: z.array(z.object({ url: z.string() })) }),
});

/** The job under which `config/prometheus/prometheus.yml` asks the daemon. */
const JOB = 'predictd';
/** The rule that always fires: whoever hears of it knows that alerts get out. */
const WATCHDOG = /Watchdog/;

/** Checks of a Prometheus: the daemon is its target, and it has the rules and a receiver. */
export function prometheusChecks(url: string | null): readonly Check[] {
  const names = ['Prometheus', 'alert rules', 'alert receiver'] as const;
  if (url === null)
    return names.map((name) => skippedCheck(name, 'no address was given with --prometheus'));
  const [up, rules, receiver] = names;
  const lost = {
    level: 'fail',
    remedy: `see whether Prometheus runs at ${new URL(url).host}`,
  } as const;
  const how = 'see config/prometheus/README.md';
  return [
    check(up, lost, async () => {
      const { activeTargets } = (await read(url, '/api/v1/targets?state=active', targets)).data;
      const ours = activeTargets.filter(({ labels }) => labels['job'] === JOB);
      const down = ours.find(({ health }) => health !== 'up');
      if (ours.length === 0) return fail(`it asks no target of the job ${JOB}`, how);
      return down === undefined
        ? ok(`it reads ${ours.length} target of the job ${JOB}`)
        : fail(`its target of the job ${JOB} is ${down.health}: ${down.lastError}`, how);
    }),
    check(rules, lost, async () => {
      const { groups } = (await read(url, '/api/v1/rules?type=alert', ruleGroups)).data;
      const all = groups.flatMap((group) => group.rules);
      const ours = all.filter(({ name }) => name.startsWith('Predictd'));
      const watchdog = all.find(({ name }) => WATCHDOG.test(name));
      if (ours.length === 0) return fail('none of the rules of predictd is loaded', how);
      if (watchdog === undefined)
        return warn(`${ours.length} rules are loaded, and no Watchdog`, how);
      return watchdog.state === 'firing'
        ? ok(`${ours.length} rules are loaded, and the Watchdog fires`)
        : warn(
            `${ours.length} rules are loaded; the Watchdog is ${watchdog.state ?? 'unknown'}`,
            how,
          );
    }),
    check(receiver, lost, async () => {
      const { activeAlertmanagers: all } = (await read(url, '/api/v1/alertmanagers', receivers))
        .data;
      return all.length > 0
        ? ok(`it alerts ${all.map((each) => new URL(each.url).host).join(', ')}`)
        : fail('it knows no Alertmanager: no alert gets out', how);
    }),
  ];
}

/** Sends an Alertmanager one alert that ends by itself, to be seen where alerts are to arrive. */
export function testAlertCheck(url: string | null, nowMs: () => number): Check {
  const name = 'test alert';
  if (url === null)
    return skippedCheck(name, 'no Alertmanager was given with --test-alert to send one to');
  const { host } = new URL(url);
  const remedy = `see whether an Alertmanager runs at ${host}`;
  return check(name, { level: 'fail', remedy }, async () => {
    const alert = {
      labels: { alertname: 'PredictdTestAlert', job: JOB, severity: 'info' },
      annotations: {
        summary: 'A test by predictd doctor',
        description: 'Nothing is wrong: whoever reads this would hear of a real alert.',
      },
      endsAt: new Date(nowMs() + DOCTOR.testAlertMs).toISOString(),
    };
    const outcome = await withCalls(url, (calls) =>
      calls.send({
        method: 'POST',
        path: '/api/v2/alerts',
        body: JSON.stringify([alert]),
        timeoutMs: DOCTOR.checkMs,
      }),
    );
    if (outcome.kind === 'answered' && outcome.status === 200)
      return ok(`${host} took PredictdTestAlert: see whether it reaches you`);
    return fail(
      outcome.kind === 'answered'
        ? `${host} answered ${outcome.status}`
        : `${host} took none: ${outcome.cause}`,
      remedy,
    );
  });
}

function read<Schema extends z.ZodType>(
  baseUrl: string,
  path: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  return withCalls(baseUrl, async (calls) => {
    const answer = readAnswer(
      await calls.send({ method: 'GET', path, timeoutMs: DOCTOR.checkMs }),
      schema,
    );
    if (answer.kind === 'read') return answer.value;
    throw new Error(`it ${answer.kind === 'unread' ? answer.why : 'has no such interface'}`);
  });
}

async function withCalls<T>(baseUrl: string, work: (calls: HttpCalls) => Promise<T>): Promise<T> {
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum: 1,
    keepAliveMs: 1_000,
    connectTimeoutMs: DOCTOR.checkMs,
    answerMaximumBytes: DOCTOR.answerMaximumBytes,
  });
  try {
    return await work(calls);
  } finally {
    await calls.close();
  }
}
