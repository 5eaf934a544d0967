import { describe, expect, it } from 'vitest';
import { settingFault } from '../../../src/web/pages/agents/setting-fields.ts';

describe('A fault of an agent’s setting', () => {
  it('names other settings as the page does', () => {
    expect(settingFault('must be at most maxPositionSize, which is 2 USD here')).toBe(
      'must be at most “Largest trade”, which is 2 USD here',
    );
    expect(settingFault('must be true or false')).toBe('must be true or false');
    expect(settingFault(null)).toBeNull();
  });
});
