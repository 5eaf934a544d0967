import { describe, expect, it } from 'vitest';
import { eventBeside, marketEnd, marketLine } from '../../../src/web/format/market-name.ts';

describe('the name of a market', () => {
  it.each([
    ['80° or more?', 'Temperature in Miami', 'Temperature in Miami: 80° or more?'],
    ['Will it rain in Miami?', 'Will it rain in Miami', 'Will it rain in Miami?'],
    ['By June?', null, 'By June?'],
    ['By June?', '', 'By June?'],
  ])('of %s in the event %s is %s', (question, eventTitle, line) => {
    expect(marketLine({ question, eventTitle })).toBe(line);
    expect(eventBeside({ question, eventTitle }) === null).toBe(line === question);
  });

  it('differs from those that ask the same by when it ends', () => {
    const noon = new Date(2026, 10, 29, 12, 0).getTime();
    const minutes = (count: number) => marketEnd(noon + count * 60_000, noon);
    expect([minutes(5), minutes(-5)]).toEqual(['ends 12:05', 'ended 11:55']);
    expect(minutes(-24 * 60)).toMatch(/^ended .*28.* 12:00$/);
  });
});
