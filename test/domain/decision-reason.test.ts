import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Criterion } from '../../src/domain/agent.ts';
import { DECISION_REASONS, decisionReason } from '../../src/domain/decision-reason.ts';

const criterion = (name: string, passed: boolean): Criterion => ({
  name,
  value: '1',
  threshold: '2',
  passed,
});
const skipped = (...criteria: readonly Criterion[]) =>
  decisionReason({ verdict: 'skip', criteria });

describe('the reason of a decision', () => {
  it('is the first criterion that failed, without its direction', () => {
    expect(
      skipped(
        criterion('time in round', true),
        criterion('signal strength Up', false),
        criterion('ask', false),
      ),
    ).toBe('signal_strength');
    expect([skipped(criterion('ask', true)), skipped(criterion('a new one', false))]).toEqual([
      'none',
      'other',
    ]);
    expect(decisionReason({ verdict: 'enter', criteria: [criterion('ask', false)] })).toBe('none');
  });

  it('of two strategies is what failed in them, and of one that entered what failed afterwards', () => {
    const both = (hasEntered: boolean) => [
      criterion('Limiter signal', false),
      criterion('inference strike signal', hasEntered),
      criterion('Limiter: ask', false),
      criterion('inference strike: lead', hasEntered),
    ];
    expect(skipped(...both(false))).toBe('ask');
    expect(skipped(...both(true), criterion('cash', false))).toBe('cash');
  });

  it('has a label for every criterion that strategies and agents state', () => {
    const folders = ['domain/strategy', 'domain/farming', 'services/agents'];
    const names = folders
      .flatMap((folder) => {
        const path = new URL(`../../src/${folder}/`, import.meta.url);
        return readdirSync(path)
          .filter((file) => file.endsWith('.ts'))
          .map((file) => readFileSync(new URL(file, path), 'utf8'));
      })
      .flatMap((source) => [
        ...source.matchAll(/name: '([^']+)',\s+value: .*\s+threshold: /g),
        ...source.matchAll(/\{ name: '([^']+)', value/g),
      ])
      .map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => skipped(criterion(name, false)) === 'other')).toEqual([]);
    expect(new Set(DECISION_REASONS).size).toBe(DECISION_REASONS.length);
  });
});
