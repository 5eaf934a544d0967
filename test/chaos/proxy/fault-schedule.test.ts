import { describe, expect, it } from 'vitest';
import {
  CALM,
  createFaultSchedule,
  FAULTS,
  LOAD,
  type Carries,
  type Unit,
  type Way,
} from './fault-schedule.ts';

const WAYS: readonly (readonly [Way, Carries])[] = [
  ['there', 'request'],
  ['back', 'answer'],
  ['there', 'frame'],
  ['back', 'frame'],
];

function units(link: string, count: number): readonly Unit[] {
  return WAYS.flatMap(([way, carries]) =>
    Array.from({ length: count }, (_, index) => ({
      link,
      connection: 1 + (index % 7),
      number: 1 + Math.floor(index / 7),
      way,
      carries,
    })),
  );
}

describe('faultSchedule', () => {
  it('does the same to the same unit for the same seed, whatever was asked before', () => {
    const asked = units('clob', 500);
    const first = createFaultSchedule('1');
    const forwards = asked.map((unit) => first.blowAt(unit));
    const backwards = [...asked]
      .reverse()
      .map((unit) => createFaultSchedule('1').blowAt(unit))
      .reverse();
    expect(backwards).toEqual(forwards);
  });

  it('differs by seed, link, connection, number, way and kind', () => {
    const asked = units('clob', 500);
    const blows = (seed: string, of: readonly Unit[]): readonly unknown[] =>
      of.map((unit) => createFaultSchedule(seed).blowAt(unit));
    const usual = blows('1', asked);
    expect(blows('2', asked)).not.toEqual(usual);
    for (const other of [
      { link: 'gamma' },
      { connection: 99 },
      { number: 99 },
      { way: 'there' },
      { carries: 'frame' },
    ] as const) {
      expect(
        blows(
          '1',
          asked.map((unit) => ({ ...unit, ...other })),
        ),
      ).not.toEqual(usual);
    }
  });

  it.each(WAYS)('meets each fault about as often as stated: %s %s', (way, carries) => {
    const faultSchedule = createFaultSchedule('chances');
    const count = 40_000;
    const met = Array.from(
      { length: count },
      (_, index) =>
        faultSchedule.blowAt({ link: 'x', connection: index, number: 1, way, carries })?.fault ??
        null,
    );
    for (const fault of FAULTS) {
      const chance = LOAD[carries][fault] / 1_000_000;
      const deviation = Math.sqrt((chance * (1 - chance)) / count);
      expect(
        Math.abs(met.filter((each) => each === fault).length / count - chance),
      ).toBeLessThanOrEqual(5 * deviation);
    }
  });

  it('lets everything pass while it is calm', () => {
    expect(
      units('clob', 50)
        .map((unit) => CALM.blowAt(unit))
        .every((blow) => blow === null),
    ).toBe(true);
  });
});
