import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import { roundProfile } from '../../../src/domain/agent.ts';
import { defaultSettings } from '../../../src/domain/settings.ts';
import { EXIT_RULE } from '../../../src/domain/strategy/exit.ts';
import { ruleOf } from '../../../src/domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { T0 } from '../../support/builders.ts';
import { aRoundView } from '../../support/worlds/round-views.ts';

/** What a rule says of each criterion of a receipt, less the direction it ends with. */
const SAID: Readonly<Record<string, RegExp>> = {
  'time in round': /Enters between/,
  'signal strength': /signal strength/,
  'inference direction': /prediction (?:points|has pointed) the same way/,
  'inference difference': /the difference you set/,
  'evaluation windows in a row': /evaluation windows/,
  lead: /would win if the round ended now/,
  'predicted minus baseline price': /predicted price is above .*, by however little/,
  'age of the prediction': /the prediction is \d+ s old at most/,
  ask: /a share at most/,
};
/** A guard against wrong prices, and what the lead is held against: no rules by themselves. */
const UNSAID = ['exchange and oracle apart', 'exchange move'];
/** Of two strategies, which one it was, and the name of the one before each of its criteria. */
const OF_TWO = /^(?:[A-Za-z ]+: |[A-Za-z ]+ signal$)/;

describe.each(STRATEGIES.rows.map((row) => [`${row.agentId} ${row.strategy}`, row] as const))(
  'the rule of %s',
  (_name, row) => {
    const { minutes } = roundProfile(row.agentId);
    const settings = defaultSettings({ agentId: row.agentId, rows: [row] }, AGENT);
    const { criteria } = row
      .judgeFor(settings)
      .judge(aRoundView({ minutes, endsAtMs: T0 + minutes * 60_000 }));
    const named = new Map(
      criteria.map(({ name, threshold }) => [
        name.replace(OF_TWO, '').replace(/ (?:Up|Down)$/, ''),
        threshold,
      ]),
    );
    const rule = ruleOf(row).replace(` ${EXIT_RULE}`, '');

    it('says all that its receipts ask for, and nothing that they do not', () => {
      const asked = [...named.keys()].filter((name) => name !== '' && !UNSAID.includes(name));
      const said = Object.keys(SAID).filter((name) => SAID[name]?.test(rule));
      expect(said.toSorted()).toEqual(asked.toSorted());
    });

    it('names the signal strength that they ask for', () => {
      const thresholds = criteria.flatMap(({ name, threshold }) =>
        name.includes('signal strength') ? [threshold.replace('at least ', '')] : [],
      );
      expect([...rule.matchAll(/[\d.]+ %/g)].map(String)).toEqual(thresholds);
    });

    it('names the order that is sent', () => {
      expect(rule).toContain(
        row.order.kind === 'limit' ? 'a bid at 60¢' : 'at the market price, 98¢',
      );
    });

    it('names when a position is left, by the strength that a receipt of it asks for', () => {
      const view = aRoundView({ minutes, endsAtMs: T0 + minutes * 60_000 });
      const [asked] = row
        .judgeExit(view, 0)
        .criteria.flatMap(({ name, threshold }) =>
          name.startsWith('signal strength') ? [threshold.replace('at most ', '')] : [],
        );
      expect(ruleOf(row)).toContain(`has fallen to ${asked} or less`);
    });
  },
);
