import { afterEach, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { killDaemons } from '../crash/support/daemon.ts';
import { firstMinutes } from './first-minutes.ts';

afterEach(() => killDaemons());

describe('the first minutes of a daemon that Node itself serves', () => {
  // a sample of `npm run test:node24`, where Node 24 runs it
  it('bring an order, a socket and MCP, and end as asked', async () => {
    expect(await firstMinutes(process.execPath, { PREDICTD_HTTP_SERVER: 'node' })).toEqual({
      server: 'node',
      orderState: 'filled',
      topicsHeard: ['orderbook:venue_a', 'orders'],
      tools: TOOLS.filter(({ scope }) => scope === 'read').length,
      exit: 0,
    });
  });
});
