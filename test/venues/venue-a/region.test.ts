import { describe, expect, it } from 'vitest';
import { createRegionCheck } from '../../../src/venues/venue-a/region.ts';

const answering = (answer: unknown) =>
  createRegionCheck({
    call: () => Promise.reject(new Error('reads alone')),
    read: async () => answer,
    inLane: () => expect.unreachable(),
    close: async () => undefined,
  });

describe('the question whether the venue takes orders from here', () => {
  it('is answered by one field; where we are is not read', async () => {
    expect(
      await answering({ blocked: true, ip: '192.0.2.1', country: 'US', region: 'NY' }).isBlocked(),
    ).toBe(true);
    expect(await answering({ blocked: false }).isBlocked()).toBe(false);
  });

  it.each([
    [null],
    [{}],
    [{ blocked: 'false' }],
    [{ blocked: 0 }],
    [{ blocked: null }],
    [[false]],
    ['false'],
    [false],
  ])('has no answer in %j', async (answer) => {
    await expect(answering(answer).isBlocked()).rejects.toMatchObject({ code: 'venue_protocol' });
  });
});
