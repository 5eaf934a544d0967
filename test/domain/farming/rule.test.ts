import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import { farmRuleOf } from '../../../src/domain/farming/rule.ts';
import { defaultFarmSettings } from '../../../src/domain/farming/settings.ts';
import { FARM_VENUE_A, FARM_VENUE_B, FARM_VENUES } from '../../../src/domain/farming/venues.ts';
import { rulesOf } from '../../../src/domain/settings.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';

describe('the rule of a farming agent', () => {
  it.each(FARM_VENUES)('of $venue names every threshold of its row, strict ones too', (venue) => {
    const rule = farmRuleOf(venue, defaultFarmSettings(AGENT.farming, venue));
    for (const filters of [venue.filters, venue.strictFilters]) {
      const { probabilityMinimumTicks: low, probabilityMaximumTicks: high } = filters;
      expect(rule).toContain(`${low / 100} to ${high / 100} %`);
      expect(rule).toContain(`spread of ${filters.spreadMaximumTicks / 100}¢ at most`);
      expect(rule).toContain(`a volume of more than ${filters.volumeAboveUsd} USD`);
      expect(rule).toContain(`a liquidity of more than ${filters.liquidityAboveUsd} USD`);
      if (filters.endsWithinHours !== null)
        expect(rule).toContain(`in ${filters.endsWithinHours} h at most`);
    }
    expect(rule).toContain(`at ${venue.filters.probabilityMaximumTicks / 100}¢ a share at most`);
    expect(rule).toContain('neither crypto price nor sports');
    expect(rule).toContain('ends in 5 min at least');
    expect(rule).toContain('3 checks in a row find the best bid 10 % below the entry');
  });

  it('follows what its user has set', () => {
    const window = {
      probabilityMinimumTicks: 9_050,
      probabilityMaximumTicks: 9_900,
      endsWithinHours: 12,
    };
    const rule = farmRuleOf(FARM_VENUE_B, { window, stopLossPerMille: 55 });
    expect(rule).toContain('is 90.5 to 99 %, at 99¢ a share at most');
    expect(rule).toContain('a probability of 91.5 to 98.5 %');
    expect(rule).toContain('in 12 h at most');
    expect(rule).toContain('5.5 % below the entry');
  });

  it('is the one rule of its agent', () => {
    const farming = defaultFarmSettings(AGENT.farming, FARM_VENUE_A);
    expect(rulesOf(STRATEGIES, 'venue_a_farming', { farming })).toEqual([
      { strategy: 'high_probability', rule: farmRuleOf(FARM_VENUE_A, farming) },
    ]);
  });
});
