import { describe, expect, it } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import { AGENT_IDS } from '../../src/domain/ids.ts';
import { AGENT_PAGES, isPagePath, marketPath, PAGES } from '../../src/web/routes.ts';

describe('the paths of the pages', () => {
  it('are each one page’s, and none of the interface’s', () => {
    const paths = Object.values(PAGES);
    expect(new Set(paths).size).toBe(paths.length);
    const calls = new Set(routeTable.map(({ path }) => path.replace(/\/$/, '')));
    expect(paths.filter((path) => path !== '/' && calls.has(path))).toEqual([]);
  });

  it('hold the six of the agents, word for word as the interface has them', () => {
    expect(AGENT_IDS.map((agent) => AGENT_PAGES[agent])).toEqual([
      '/btc5min-trading',
      '/eth15min-trading',
      '/btc15min-trading',
      '/sol15min-trading',
      '/airdrop-farming-trading',
      '/venue-b-farming-trading',
    ]);
  });

  it.each([
    ['/', true],
    ['/wallet', true],
    ['/wallet/', true],
    [marketPath('venue_a', '0x12'), true],
    ['/markets/venue_a', false],
    ['/api/agents', false],
    ['/assets/index.js', false],
    ['/nothing', false],
  ])('%s is one: %s', (path, isPage) => {
    expect(isPagePath(path)).toBe(isPage);
  });
});
