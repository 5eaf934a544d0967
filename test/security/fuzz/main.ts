import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeTable } from '../../../src/app/route-table.ts';
import { TOKEN_ID } from '../../http/samples.ts';
import { startApi } from '../../http/api.ts';
import { numbersOf } from '../load/arguments.ts';
import { startEnvironment } from '../load/environment.ts';
import { clientFrames } from './client-frames.ts';
import { run, type Target } from './finding.ts';
import { rawRequests } from './raw-requests.ts';
import { routeCalls } from './route-calls.ts';
import { apiCallers } from './api-callers.ts';
import { environmentCallers } from './environment-callers.ts';
import { marketFrames, priceFrames, userFrames } from './venue-frames.ts';

// `npm run sim -- fuzz`: the API over its models, then a daemon on its sandbox, then the venue's
// frames, each for its share of the time.

const { seed, minutes, ...given } = numbersOf(
  { seed: randomInt(2 ** 31), minutes: 2, case: -1 },
  process.argv.slice(2),
);
const INTERNAL_SECRET = 'internal-secret-of-the-fuzzing-0001';
const TOPICS = [
  'orders',
  'positions',
  'agents',
  'notifications',
  'prices:BTC',
  'prices:SOL',
  `orderbook:venue_a:${TOKEN_ID}`,
];
const PEOPLE = 16;
/** The outside may be away while it is fuzzed through us; what is logged of that is right. */
const EXPECTED = ['venue_unavailable', 'chain_unavailable', 'bridge_unavailable'];

const say = (line: string): void => console.log(line);
say(`seed ${seed}`);
const findings: string[] = [];

async function live(
  where: string,
  targets: readonly { readonly target: Target; readonly width: number }[],
  shareMinutes: number,
): Promise<void> {
  for (const { target, width } of targets) {
    const endMs = performance.now() + (shareMinutes / targets.length) * 60_000;
    const only =
      given.case >= 0
        ? { from: given.case, until: given.case + 1 }
        : { until: Number.MAX_SAFE_INTEGER };
    const outcome = await run(target, seed, {
      ...only,
      width,
      mayGoOn: () => performance.now() < endMs,
    });
    const atEnd = await target.end();
    say(
      `${where}, ${target.name}: ${outcome.cases} cases, ${outcome.findings.length + (atEnd === null ? 0 : 1)} findings`,
    );
    for (const { number, finding } of outcome.findings)
      findings.push(
        `${where}, ${target.name}, npm run sim -- fuzz --seed ${seed} --case ${number}: ${finding}`,
      );
    if (atEnd !== null)
      findings.push(`${where}, ${target.name}, seed ${seed}, at the end: ${atEnd}`);
  }
}

const api = await startApi();
const { token } = await api.signIn({ phone: '+14155570000', username: 'fuzz_reader' });
await live(
  'api',
  [
    { target: rawRequests(api.server.port), width: 32 },
    {
      target: clientFrames({ port: api.server.port, token: async () => token, topics: TOPICS }),
      width: 16,
    },
    { target: routeCalls(routeTable, apiCallers(api)), width: 1 },
  ],
  minutes * 0.35,
);
for (const event of new Set(api.errors)) findings.push(`API, seed ${seed}: logged ${event}`);
await api.close();

const environment = await startEnvironment({ PREDICTD_INTERNAL_SECRET: INTERNAL_SECRET });
const callers = await environmentCallers(environment, INTERNAL_SECRET, PEOPLE);
await live(
  'daemon',
  [
    { target: rawRequests(environment.port), width: 32 },
    {
      target: clientFrames({
        port: environment.port,
        token: async () => callers.citizens[0]?.token ?? '',
        topics: TOPICS,
      }),
      width: 16,
    },
    { target: routeCalls(routeTable, callers), width: 4 },
  ],
  minutes * 0.45,
);
const errors = readFileSync(join(environment.folder, 'predictd.log'), 'utf8')
  .split('\n')
  .filter(
    (line) =>
      line.includes('"level":"error"') &&
      !EXPECTED.some((code) => line.includes(`"code":"${code}"`)),
  );
for (const line of errors.slice(0, 10))
  findings.push(`daemon, seed ${seed}: logged ${line.slice(0, 500)}`);
const code = await environment.leave();
if (code !== 0)
  findings.push(
    `daemon, seed ${seed}: ended with ${String(code)}: ${environment.daemon.complained().slice(0, 1_000)}`,
  );

await live(
  'venue',
  [
    { target: marketFrames(), width: 1 },
    { target: userFrames(), width: 1 },
    { target: priceFrames(), width: 1 },
  ],
  minutes * 0.2,
);
for (const finding of findings) say(`FOUND ${finding}`);
say(
  findings.length === 0
    ? `nothing found with seed ${seed}`
    : `${findings.length} findings with seed ${seed}`,
);
process.exit(findings.length === 0 ? 0 : 1);
