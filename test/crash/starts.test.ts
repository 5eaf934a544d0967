import { afterEach, describe, expect, it } from 'vitest';
import { killDaemons } from './support/daemon.ts';
import { DEMO, StruckFolder, type Strike } from './support/struck-life.ts';
import { sampled } from '../support/sampled.ts';

/** Several starts, each of a second or five, and of many where other tests run beside. */
const STARTS = { timeout: 600_000 };
/** Behind this step of a start its world is next. */
const DAEMON_IS_UP: Strike = {
  step: 'daemon renameSync sandbox-time.json #1',
  moment: 'after',
  signals: ['SIGKILL'],
};
const KILLED = { code: null, signal: 'SIGKILL' };

const folders: StruckFolder[] = [];
const newFolder = (): StruckFolder => {
  const folder = new StruckFolder();
  folders.push(folder);
  return folder;
};
afterEach(async () => {
  await killDaemons();
  for (const folder of folders.splice(0)) folder.remove();
});

/**
 * Lives until it is struck, and gives how that ended; throws when it came up without coming to that
 * step.
 */
async function strike(folder: StruckFolder, at: Strike): Promise<unknown> {
  const life = folder.start(at);
  const cameUp = life.saw(DEMO).then(
    () => !folder.isStruck(),
    () => false,
  );
  const isMissed = await Promise.race([cameUp, life.ended.then(() => false)]);
  if (isMissed) throw new Error(`The daemon came up without ${at.step}`);
  const ending = await life.ended;
  return { ending, isStruck: folder.isStruck(), complaint: life.complained() };
}

const WORLD_STEPS = [
  'writeFileSync sandbox/world.json.new #1',
  'writeFileSync sandbox/solana/state.bin.new #1',
  'writeSync sandbox/world.n.log #1',
  'writeFileSync sandbox/polygon.json.new #1',
];

const STEPS: readonly (readonly [Strike['moment'], string])[] = [
  ['before', 'open store/data.mdb #1'],
  ['before', 'commitTxn store/data.mdb #1'],
  ['before', 'commitTxn store/data.mdb #2'],
  ['before', 'commitTxn store/data.mdb #3'],
  ['before', 'commitTxn store/data.mdb #4'],
  ['after', 'commitTxn store/data.mdb #4'],
  ['within', 'write store/journal/segment.n.log #1'],
  ['within', 'writeSync master.key.new #1'],
  ['before', 'renameSync master.key #1'],
  ['after', 'renameSync master.key #1'],
  ['within', 'write store/journal/segment.n.log #3'],
  ['within', 'writeSync sandbox-time.json.new #1'],
];

const SIGNALS: readonly (readonly [string, Strike['signals'], number])[] = [
  ['ends with 0', ['SIGTERM'], 0],
  ['ends with 0 when it is asked twice, as by a terminal and by npm', ['SIGINT', 'SIGINT'], 0],
  ['is given up at once when it is asked a third time', ['SIGINT', 'SIGINT', 'SIGTERM'], 70],
];

/**
 * `npm run sim -- crash --starts` strikes at every kind of step of whole lives, by each signal;
 * these are the steps of a first start.
 */
describe('a first start that is cut off by SIGKILL', () => {
  it.each(sampled('steps of a first start', STEPS, 2))(
    'L9: is taken up by the next one: %s daemon %s',
    STARTS,
    async (moment, step) => {
      const folder = newFolder();
      expect(
        await strike(folder, { step: `daemon ${step}`, moment, signals: ['SIGKILL'] }),
      ).toEqual({
        ending: KILLED,
        isStruck: true,
        complaint: '',
      });
      expect(await strike(folder, DAEMON_IS_UP)).toEqual({
        ending: KILLED,
        isStruck: true,
        complaint: '',
      });
    },
  );

  it(
    'L12: has its master key on disk, by name too, before anything is sealed under it',
    STARTS,
    async () => {
      const folder = newFolder();
      expect(await strike(folder, DAEMON_IS_UP)).toEqual({
        ending: KILLED,
        isStruck: true,
        complaint: '',
      });
      const inOrder = [
        'writeSync master.key.new #1',
        'fsyncSync master.key.new #1',
        'renameSync master.key #1',
        'fsyncSync the folder #1',
        'write store/journal/segment.n.log #3',
      ].map((step) => `daemon ${step}`);
      expect(
        folder
          .steps()
          .map(({ step }) => step)
          .filter((step) => inOrder.includes(step)),
      ).toEqual(inOrder);
    },
  );

  it(
    'L9: time and again while it makes its world comes up at last, with nothing to complain of',
    STARTS,
    async () => {
      const folder = newFolder();
      for (const step of sampled('steps of a first world', WORLD_STEPS, 1)) {
        expect(
          await strike(folder, { step: `world ${step}`, moment: 'within', signals: ['SIGKILL'] }),
        ).toEqual({ ending: KILLED, isStruck: true, complaint: '' });
      }
      const reported = await folder.head();
      const last = folder.start(null);
      await last.saw(DEMO);
      last.signal('SIGTERM');
      expect(await last.ended).toEqual({ code: 0, signal: null });
      expect(last.complained()).toBe('');
      await folder.untilLeft(last);
      expect(await folder.journalFaults(reported)).toEqual([]);
    },
  );
});

describe('a first start that is asked to end', () => {
  it.each(sampled('signals of a first start', SIGNALS, 1))(
    '%s',
    STARTS,
    async (_, signals, code) => {
      const folder = newFolder();
      expect(
        await strike(folder, { step: 'daemon renameSync master.key #1', moment: 'after', signals }),
      ).toEqual({ ending: { code, signal: null }, isStruck: true, complaint: '' });
    },
  );
});
