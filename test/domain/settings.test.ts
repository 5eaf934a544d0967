import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT } from '../../config/limits.ts';
import { AppError } from '../../src/domain/errors.ts';
import { AGENT_IDS, type AgentId } from '../../src/domain/ids.ts';
import {
  choicesOf,
  defaultSettings,
  parseSettings,
  viewSettings,
} from '../../src/domain/settings.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';

const choices = (agentId: AgentId) => choicesOf(STRATEGIES, agentId);
const btc5 = choices('btc_5min');
const eth15 = choices('eth_15min');
const current = defaultSettings(btc5, AGENT);

/** Code and faults of the refusal; null without one. */
function refusal(
  patch: Readonly<Record<string, unknown>>,
  profile = btc5,
): readonly string[] | null {
  try {
    parseSettings(patch, defaultSettings(profile, AGENT), profile, AGENT);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.code, ...error.fields.map(({ path }) => path)];
  }
}

describe('agent settings', () => {
  it.each(AGENT_IDS)('have the defaults of the spec for %s', (agentId) => {
    const view = viewSettings(defaultSettings(choices(agentId), AGENT), choices(agentId));
    expect(view).toEqual({
      minPositionSize: '1',
      avgPositionSize: '5',
      maxPositionSize: '5',
      strategy: agentId.endsWith('farming') ? 'high_probability' : 'up_down',
      notifyOnTrade: true,
      ...(agentId === 'btc_5min' ? { inferenceDifferencePercent: '0.05' } : {}),
      ...(agentId === 'venue_a_farming'
        ? { maxOpenPositions: 10, maxTotalExposure: '1000', stopLossPercent: '10' }
        : {}),
      ...(agentId === 'venue_b_farming'
        ? {
            maxOpenPositions: 10,
            maxDailyLoss: '100',
            minProbabilityPercent: '94',
            maxProbabilityPercent: '98',
            maxHoursToExpiry: 72,
            stopLossPercent: '10',
          }
        : {}),
    });
  });

  it.each([
    [{ minProbabilityPercent: 98.01 }, ['setting_out_of_range', '/minProbabilityPercent']],
    [{ maxProbabilityPercent: '93.99' }, ['setting_out_of_range', '/maxProbabilityPercent']],
    [{ minProbabilityPercent: 79 }, ['setting_out_of_range', '/minProbabilityPercent']],
    [{ maxProbabilityPercent: 99.6 }, ['setting_out_of_range', '/maxProbabilityPercent']],
    [{ maxHoursToExpiry: 0 }, ['setting_out_of_range', '/maxHoursToExpiry']],
    [{ maxHoursToExpiry: 12.5 }, ['setting_out_of_range', '/maxHoursToExpiry']],
    [{ maxDailyLoss: 0.5 }, ['setting_out_of_range', '/maxDailyLoss']],
    [{ maxTotalExposure: 10 }, ['unknown_setting', '/maxTotalExposure']],
    [{ minProbabilityPercent: 96, maxProbabilityPercent: 96, maxHoursToExpiry: 1 }, null],
  ])('of a farmer with a window of its own are held to it: %o', (patch, refused) => {
    expect(refusal(patch, choices('venue_b_farming'))).toEqual(refused);
  });

  it('take every setting at once, numbers and decimal text alike', () => {
    const patch = {
      minPositionSize: 2.5,
      avgPositionSize: '10.123456',
      maxPositionSize: 100,
      strategy: 'up_down',
      notifyOnTrade: false,
      inferenceDifferencePercent: '0.1',
    };
    expect(parseSettings(patch, current, btc5, AGENT)).toEqual({
      minPositionSize: 2_500_000,
      avgPositionSize: 10_123_456,
      maxPositionSize: 100_000_000,
      strategy: 'up_down',
      notifyOnTrade: false,
      inferenceDifferenceMicros: 1_000,
    });
  });

  it('keep what the patch does not name', () => {
    expect(parseSettings({}, current, btc5, AGENT)).toEqual(current);
    expect(
      parseSettings({ strategy: 'up_only' }, defaultSettings(eth15, AGENT), eth15, AGENT),
    ).toMatchObject({ strategy: 'up_only' });
  });

  it.each([
    [{ avgPositionSize: 10, maxPositionSize: 10 }, [1, 10, 10]],
    [{ avgPositionSize: 3 }, [1, 3, 5]],
    [{ maxPositionSize: 3 }, [1, 3, 3]],
    [{ maxPositionSize: 20 }, [1, 5, 20]],
    [{ minPositionSize: 8, maxPositionSize: 9 }, [8, 8, 9]],
    [{ minPositionSize: 2, maxPositionSize: 4 }, [2, 4, 4]],
    [{ avgPositionSize: 7, maxPositionSize: 9 }, [1, 7, 9]],
  ])(
    'let a size that is sent stand, and move an average that is not into the limits: %j',
    (patch, sizes) => {
      const { minPositionSize, avgPositionSize, maxPositionSize } = parseSettings(
        patch,
        current,
        btc5,
        AGENT,
      );
      expect(
        [minPositionSize, avgPositionSize, maxPositionSize].map((micros) => micros / 1_000_000),
      ).toEqual(sizes);
    },
  );

  it.each<[Record<string, unknown>, string]>([
    [
      { avgPositionSize: 9 },
      'avgPositionSize: must be at most maxPositionSize, which is 5 USD here',
    ],
    [
      { minPositionSize: 8 },
      'minPositionSize: must be at most maxPositionSize, which is 5 USD here',
    ],
    [
      { minPositionSize: 6, avgPositionSize: 7 },
      'avgPositionSize: must be at most maxPositionSize, which is 5 USD here',
    ],
    [
      { minPositionSize: 8, avgPositionSize: 7, maxPositionSize: 9 },
      'minPositionSize: must be at most avgPositionSize, which is 7 USD here',
    ],
    [
      { avgPositionSize: 8, maxPositionSize: 7 },
      'avgPositionSize: must be at most maxPositionSize, which is 7 USD here',
    ],
    [
      { minPositionSize: 8, maxPositionSize: 7 },
      'minPositionSize: must be at most maxPositionSize, which is 7 USD here',
    ],
    [
      { strategy: 'luck', notifyOnTrade: 'yes' },
      'strategy: must be one of: up_down, confirmed_lead, limiter, inference_strike, max; notifyOnTrade: must be true or false',
    ],
  ])('name in the sentence what does not fit: %j', (patch, sentence) => {
    expect(() => parseSettings(patch, current, btc5, AGENT)).toThrow(sentence);
  });

  it.each([
    ['an unknown key', { positionSize: 5 }, ['unknown_setting', '/positionSize']],
    [
      'several unknown keys',
      { a: 1, 'b/c~d': 2, avgPositionSize: 'x' },
      ['unknown_setting', '/a', '/b~1c~0d'],
    ],
    ['the flag that enabling sets', { enabled: true }, ['unknown_setting', '/enabled']],
    [
      'the prototype',
      JSON.parse('{"__proto__": 5}') as Record<string, unknown>,
      ['unknown_setting', '/__proto__'],
    ],
  ])('refuse %s and take nothing', (_case, patch, expected) => {
    expect(refusal(patch)).toEqual(expected);
  });

  it('refuse the inference difference for an agent that does not read it', () => {
    expect(refusal({ inferenceDifferencePercent: 1 }, eth15)).toEqual([
      'unknown_setting',
      '/inferenceDifferencePercent',
    ]);
  });

  it.each(['confirmed_lead', 'limiter', 'inference_strike', 'max'])(
    'refuse the inference difference with %s, which does not read it, and take it with the strategy that does',
    (strategy) => {
      expect(refusal({ strategy, inferenceDifferencePercent: 1 })).toEqual([
        'unknown_setting',
        '/inferenceDifferencePercent',
      ]);
      const chosen = parseSettings({ strategy }, current, btc5, AGENT);
      expect(viewSettings(chosen, btc5)).not.toHaveProperty('inferenceDifferencePercent');
      expect(() => parseSettings({ inferenceDifferencePercent: 1 }, chosen, btc5, AGENT)).toThrow(
        AppError,
      );
      expect(
        parseSettings({ strategy: 'up_down', inferenceDifferencePercent: 1 }, chosen, btc5, AGENT),
      ).toMatchObject({ strategy: 'up_down', inferenceDifferenceMicros: 10_000 });
    },
  );

  it.each([
    0,
    0.999999,
    100.000001,
    101,
    -5,
    1.1234567,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number('1e400'),
    1e21,
    1e-7,
    '',
    ' 5',
    '5 ',
    '+5',
    '-5',
    '1e1',
    '05',
    '5.',
    '.5',
    '0x5',
    '5,0',
    'NaN',
    'Infinity',
    '1.1234567',
    '9'.repeat(40),
    null,
    true,
    [],
    {},
    [5],
  ])('refuse %j as a size', (value) => {
    expect(refusal({ avgPositionSize: value, minPositionSize: 1, maxPositionSize: 100 })).toEqual([
      'setting_out_of_range',
      '/avgPositionSize',
    ]);
  });

  it.each([1, 100, '1', '100', 1.000001, '99.999999'])('take %j as a size', (value) => {
    expect(
      refusal({ avgPositionSize: value, minPositionSize: 1, maxPositionSize: 100 }),
    ).toBeNull();
  });

  it.each(['up_only', 'MAX', 'UP_DOWN', 'constructor', '', 5, null])(
    'refuse %j as a strategy of the 5-minute agent',
    (strategy) => {
      expect(refusal({ strategy })).toEqual(['setting_out_of_range', '/strategy']);
    },
  );

  it.each([10.01, -1, '0.001', 'x', null, Number('1e400')])(
    'refuse %j as an inference difference',
    (inferenceDifferencePercent) => {
      expect(refusal({ inferenceDifferencePercent })).toEqual([
        'setting_out_of_range',
        '/inferenceDifferencePercent',
      ]);
    },
  );

  it.each([0, 10, '0.01', 0.07, '0.050'])(
    'take %j as an inference difference',
    (inferenceDifferencePercent) => {
      expect(refusal({ inferenceDifferencePercent })).toBeNull();
    },
  );

  it.each(['true', 1, null, 0])('refuse %j as notifyOnTrade', (notifyOnTrade) => {
    expect(refusal({ notifyOnTrade })).toEqual(['setting_out_of_range', '/notifyOnTrade']);
  });

  it('refuse sizes that were sent out of order, wherever the order breaks', () => {
    expect(refusal({ minPositionSize: 6, avgPositionSize: 5 })).toEqual([
      'setting_out_of_range',
      '/minPositionSize',
    ]);
    expect(refusal({ avgPositionSize: 6, maxPositionSize: 5 })).toEqual([
      'setting_out_of_range',
      '/avgPositionSize',
    ]);
    expect(refusal({ minPositionSize: 6, maxPositionSize: 5 })).toEqual([
      'setting_out_of_range',
      '/minPositionSize',
    ]);
    expect(refusal({ minPositionSize: 50, avgPositionSize: 20, maxPositionSize: 10 })).toEqual([
      'setting_out_of_range',
      '/minPositionSize',
      '/avgPositionSize',
    ]);
  });

  it('hold each size to its range, and name it once however it lies to the others', () => {
    expect(refusal({ maxPositionSize: 100.000001 })).toEqual([
      'setting_out_of_range',
      '/maxPositionSize',
    ]);
    expect(refusal({ minPositionSize: 8, avgPositionSize: 7, maxPositionSize: 'x' })).toEqual([
      'setting_out_of_range',
      '/maxPositionSize',
    ]);
  });

  it('say of an unknown one whose settings there are, and name a long one cut', () => {
    const messageOf = (patch: Readonly<Record<string, unknown>>) => {
      try {
        parseSettings(patch, current, btc5, AGENT);
      } catch (error) {
        if (error instanceof AppError) return error.message;
      }
      return '';
    };
    expect(messageOf({ size: 1 })).toBe(
      'size: is not a setting of btc_5min with strategy up_down; it has minPositionSize, avgPositionSize, maxPositionSize, strategy, notifyOnTrade, inferenceDifferencePercent',
    );
    expect(messageOf({ size: 1, strategy: 'luck' })).toContain('is not a setting of btc_5min; it');
    expect(refusal({ ['x'.repeat(65)]: 1 })).toEqual(['unknown_setting', `/${'x'.repeat(64)}`]);
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, 1]));
    expect(messageOf(many)).toContain('k7: ');
    expect(messageOf(many)).not.toContain('k8: ');
    expect(refusal(many)).toHaveLength(10);
    expect(messageOf({ inferenceDifferencePercent: 11 })).toContain('from 0 to 10 with');
  });

  it('do not call a setting unknown for the sake of an unknown strategy', () => {
    expect(refusal({ strategy: 'luck', inferenceDifferencePercent: 1 })).toEqual([
      'setting_out_of_range',
      '/strategy',
    ]);
  });

  it('are those of an agent that has a strategy', () => {
    expect(() => defaultSettings({ agentId: 'btc_5min', rows: [] }, AGENT)).toThrow(
      'btc_5min has a strategy',
    );
  });

  it('name every fault at once', () => {
    expect(refusal({ minPositionSize: 0, strategy: 'x', notifyOnTrade: 'yes' })).toEqual([
      'setting_out_of_range',
      '/minPositionSize',
      '/strategy',
      '/notifyOnTrade',
    ]);
  });

  it('are read back as they are written, for any sizes in order', () => {
    const sizes = integer({ min: 1_000_000, max: 100_000_000 });
    assert(
      property(
        sizes,
        sizes,
        sizes,
        integer({ min: 0, max: 1_000 }),
        constantFrom(true, false),
        (a, b, c, steps, notifyOnTrade) => {
          const [low = a, middle = a, high = a] = [a, b, c]
            .sort((x, y) => x - y)
            .map((micros) => (micros / 1_000_000).toFixed(6));
          const patch = {
            minPositionSize: low,
            avgPositionSize: middle,
            maxPositionSize: high,
            inferenceDifferencePercent: (steps / 100).toFixed(2),
            notifyOnTrade,
          };
          const settings = parseSettings(patch, current, btc5, AGENT);
          expect(parseSettings({ ...viewSettings(settings, btc5) }, current, btc5, AGENT)).toEqual(
            settings,
          );
        },
      ),
    );
  });
});
