import { describe, expect, it } from 'vitest';
import { eventBeside, marketLine } from '../../../src/web/format/market-name.ts';

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
});
