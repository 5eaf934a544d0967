import { resolve } from 'node:path';
import { z } from 'zod';
import { ADOPTION } from '../../config/limits/adoption.ts';
import type { Environment } from '../../config/schema.ts';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { runningAddresses } from './addresses.ts';
import { usageOf } from './commands.ts';

const EXIT = { adopted: 0, incomplete: 1, refused: 2 } as const;

const reportSchema = z.object({
  state: z.enum(['none', 'waiting', 'running', 'adopted', 'incomplete']),
  users: z.object({ adopted: z.number(), lacking: z.number() }),
  orders: z.number(),
  left: z.array(
    z.object({
      userId: z.string(),
      reason: z.string().nullable(),
      differences: z.array(
        z.object({ asset: z.string(), booked: z.string(), onChain: z.string() }),
      ),
    }),
  ),
  current: z
    .object({
      userId: z.string(),
      number: z.number(),
      of: z.number(),
      reading: z.number(),
      doing: z.enum(['orders', 'movements', 'comparison', 'waiting']),
    })
    .nullable(),
});

type Report = z.output<typeof reportSchema>;

const DOING: Readonly<Record<NonNullable<Report['current']>['doing'], string>> = {
  orders: 'orders and trades at the venues',
  movements: 'money and shares on the chains',
  comparison: 'comparing books and chains',
  waiting: 'waiting for what is not final yet',
};

/**
 * Runs `predictd adopt`: has the daemon of a data folder book what its restored store lacks, and
 * waits for it, saying whose books it is at. Gives the exit code: 0 when ledger and chain agree for
 * every user; 1 when what is left was named; 2 with one sentence when the daemon could not be
 * asked.
 */
export async function runAdoptCommand(
  words: readonly string[],
  {
    environment,
    print,
    clock,
  }: {
    readonly environment: Pick<Environment, 'PREDICTD_DATA' | 'PREDICTD_INTERNAL_SECRET'>;
    readonly print: (line: string) => void;
    /** Wall time. */
    readonly clock: Clock;
  },
): Promise<number> {
  try {
    const ask = await asker(words, environment);
    let report = await ask('POST');
    let printed: string | null = null;
    while (report.state === 'running') {
      const progress = progressOf(report);
      if (progress !== null && progress !== printed) print(progress);
      printed = progress;
      await new Promise<void>((done) => void clock.after(ADOPTION.askEveryMs, done));
      report = await ask('GET');
    }
    const { state, users, orders, left } = report;
    print(`orders    ${orders} adopted from what venues and chains have on record`);
    print(`users     ${users.adopted} have all that was lacking, ${users.lacking} do not`);
    for (const { userId, reason, differences } of left) {
      if (reason !== null) print(`left      ${userId}: ${reason}`);
      for (const { asset, booked, onChain } of differences)
        print(
          `disputed  ${userId}: ${asset} is ${booked} in the books and ${onChain} on the chain`,
        );
    }
    print(
      state === 'adopted'
        ? 'adopted   ledger and chain agree: POST /internal/resume lifts the stop'
        : 'left      what is named above could not be attributed; run adopt again when it can, or stop these users alone (POST /internal/stop with userId), and the stop of all can be lifted',
    );
    return state === 'adopted' ? EXIT.adopted : EXIT.incomplete;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    print(error.message);
    return EXIT.refused;
  }
}

/** Null while nothing is known but that it runs. */
function progressOf({ current, orders }: Report): string | null {
  if (current === null) return null;
  const { number, of, userId, doing, reading } = current;
  return `reading   user ${number} of ${of}, ${userId}: ${DOING[doing]}, reading ${reading}; ${orders} orders adopted so far`;
}

async function asker(
  words: readonly string[],
  environment: Pick<Environment, 'PREDICTD_DATA' | 'PREDICTD_INTERNAL_SECRET'>,
): Promise<(method: 'GET' | 'POST') => Promise<Report>> {
  const [option, folder, ...more] = words;
  if ((option !== undefined && (option !== '--data' || folder === undefined)) || more.length > 0)
    throw new AppError('config_invalid', `${option} is not understood; use: ${usageOf('adopt')}`);
  const data = resolve(folder ?? environment.PREDICTD_DATA);
  const secret = environment.PREDICTD_INTERNAL_SECRET?.split(',')[0];
  if (secret === undefined)
    throw new AppError(
      'config_invalid',
      'PREDICTD_INTERNAL_SECRET is not set; the daemon takes this from an operator alone.',
    );
  const daemon = await runningAddresses(data);
  if (daemon === null)
    throw new AppError('not_found', `no daemon runs in ${data}; start it first.`);
  return async (method) => {
    const answer = await fetch(`${daemon.api}/internal/adopt`, {
      method,
      headers: { 'x-internal-secret': secret },
      signal: AbortSignal.timeout(ADOPTION.answerTimeoutMs),
    }).catch((cause: unknown) => {
      throw new AppError('overloaded', 'the daemon does not answer any more.', { cause });
    });
    const body: unknown = await answer.json().catch(() => null);
    const report = reportSchema.safeParse(body);
    if (answer.ok && report.success) return report.data;
    throw new AppError('conflict', `the daemon answered ${answer.status}: ${detailOf(body)}`);
  };
}

function detailOf(body: unknown): string {
  const read = z.object({ detail: z.string() }).safeParse(body);
  return read.success ? read.data.detail : 'without a reason';
}
