import { describe, expect, it } from 'vitest';
import { readBenchOptions } from './options.ts';
import { BENCH_NAMES } from './row.ts';

describe('options of the benchmarks', () => {
  it('run all of them where none is named', () => {
    expect(readBenchOptions([])).toEqual({ names: BENCH_NAMES, against: null, rounds: 5 });
  });

  it('take names in any order and a commit to compare with', () => {
    expect(readBenchOptions(['store', '--against', '3ae5b3a', '--rounds', '7', 'sign'])).toEqual({
      names: ['sign', 'store'],
      against: '3ae5b3a',
      rounds: 7,
    });
  });

  it.each([
    [['speed'], 'no benchmark is called speed; there are sign'],
    [['--fast'], 'no benchmark is called --fast'],
    [['--against'], '--against wants a commit'],
    [['--against', '--rounds'], '--against wants a commit'],
    [['--rounds', '5'], '--rounds goes with --against <commit>'],
    [['--against', 'main', '--rounds', '2'], '--rounds is a number from 3 to 100'],
    [['--against', 'main', '--rounds', 'many'], '--rounds is a number from 3 to 100'],
  ])('refuse %j', (args, sentence) => {
    expect(() => readBenchOptions(args)).toThrow(sentence);
  });
});
