import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulate } from './simulation.ts';
import { IS_WHOLE, sampled } from '../support/sampled.ts';
import type { WorkerAnswer, WorkerTask } from './worker.ts';

/**
 * A day is ten seconds of work for an idle core, and as much more as the machine has else to do.
 */
const TIMEOUT_MS = 600_000;
/**
 * Fixed seeds of days on which agents of both kinds trade: one with venue_b, one with a chain that
 * takes blocks back.
 */
const WITH_CHAIN = 6;
const WITH_CONTRACTS = 2;
const SEEDS = sampled('days', [WITH_CONTRACTS, WITH_CHAIN], 1);

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const recorded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(at('./recorded-days.json'), 'utf8'),
);

/**
 * Lives through days in a process of its own, in the order given, and gives their hashes by seed.
 */
async function hashesElsewhere(
  seeds: readonly number[],
): Promise<Readonly<Record<number, string>>> {
  const child = fork(at('./worker.ts'), {
    execArgv: ['--import', at('../support/typescript-loader.mjs')],
    serialization: 'advanced',
  });
  const hashes: Record<number, string> = {};
  try {
    for (const seed of seeds) {
      const answer = await new Promise<WorkerAnswer>((resolve, reject) => {
        // The worker sends nothing else.
        child.once('message', (message) => resolve(message as WorkerAnswer));
        child.once('exit', (code) =>
          reject(new Error(`the worker ended with code ${String(code)}`)),
        );
        child.send({ seed, days: 1, machines: 1 } satisfies WorkerTask);
      });
      hashes[seed] = answer.result?.hash ?? `failed: ${answer.failure}`;
    }
  } finally {
    child.kill();
  }
  return hashes;
}

describe('a simulated day', () => {
  it(
    'L1 to L9: leaves nothing to find, through its faults, stops and power failures; L10: leaves the journal on record, in any process and whichever day came before',
    async () => {
      // The hashes on record are another process's too.
      const elsewhere = IS_WHOLE ? hashesElsewhere([...SEEDS].reverse()) : null;
      const days = [];
      for (const seed of SEEDS) days.push(await simulate(seed, 1));
      expect(days.map(({ findings }) => findings)).toEqual(SEEDS.map(() => ({})));
      expect(
        days.map(({ lives, orders, fills, deliveries }) => [
          lives > 1,
          orders > 20,
          fills > 10,
          deliveries > 0,
        ]),
      ).toEqual(SEEDS.map(() => [true, true, true, true]));
      expect(days.map(({ actions }) => actions > 5)).toEqual(
        SEEDS.map((seed) => seed === WITH_CHAIN),
      );
      expect(
        days.map(({ counts }) => [
          counts['entries of rounds'] > 0,
          counts['stop losses of farming'] > 0,
          counts['wins of farming'] > 0,
        ]),
      ).toEqual(SEEDS.map(() => [true, true, true]));
      expect(days.map(({ counts }) => counts['blocks taken back'] > 0)).toEqual(
        SEEDS.map((seed) => seed === WITH_CHAIN),
      );
      expect(days.map(({ counts }) => counts['fills of contracts'] > 10)).toEqual(
        SEEDS.map((seed) => seed === WITH_CONTRACTS),
      );
      const hashes = Object.fromEntries(days.map(({ seed, hash }) => [seed, hash]));
      if (elsewhere !== null) expect(await elsewhere).toEqual(hashes);
      // Where the service is meant to behave otherwise from now on: npm run sim -- simulate --seeds
      // 6 --record
      expect(hashes).toMatchObject(
        Object.fromEntries(Object.entries(recorded).filter(([seed]) => seed in hashes)),
      );
    },
    TIMEOUT_MS,
  );
});
