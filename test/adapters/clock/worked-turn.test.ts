import { expect, it } from 'vitest';
import { workThrough } from '../../../src/adapters/clock/worked-turn.ts';

const ROOMY = { stepsMaximum: 16, workMs: 60_000 };

function busy(ms: number): void {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; );
}

/** Runs `count` steps in turns, and tells in which turn of the event loop each ran. */
async function turnsOf(
  count: number,
  bounds: { readonly stepsMaximum: number; readonly workMs: number },
  work: () => void,
): Promise<readonly number[]> {
  let turn = 0;
  let isThrough = false;
  const countTurns = (): void => {
    turn += 1;
    if (!isThrough) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const ranIn: number[] = [];
  await workThrough(
    Array.from({ length: count }, () => () => {
      work();
      ranIn.push(turn);
    }),
    bounds,
  );
  isThrough = true;
  return ranIn;
}

it('works through all steps in order, so many in a turn of the event loop', async () => {
  expect(await turnsOf(8, { ...ROOMY, stepsMaximum: 3 }, () => undefined)).toEqual([
    0, 1, 1, 1, 2, 2, 2, 3,
  ]);
});

it('begins no further step in a turn that has had its share', async () => {
  expect(await turnsOf(4, { ...ROOMY, workMs: 1 }, () => busy(2))).toEqual([0, 1, 2, 3]);
});

it('begins a step when all is through that the one before set off in promises, and counts that', async () => {
  const ran: string[] = [];
  const setsOff = (name: string) => () => {
    void Promise.resolve(name)
      .then((set) => Promise.resolve(set))
      .then((set) => {
        busy(2);
        ran.push(`after ${set}`);
      });
    ran.push(name);
  };
  const turns = await turnsOf(3, { ...ROOMY, workMs: 1 }, () =>
    setsOff(`step ${ran.length / 2}`)(),
  );
  expect([turns, ran.slice(0, 5)]).toEqual([
    [0, 1, 2],
    ['step 0', 'after step 0', 'step 1', 'after step 1', 'step 2'],
  ]);
});

it('is through at once with no step or one', () => {
  const ran: string[] = [];
  expect([workThrough([], ROOMY), workThrough([() => ran.push('only')], ROOMY), ran]).toEqual([
    null,
    null,
    ['only'],
  ]);
});
