import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cancelOutcome,
  submitOutcome,
} from '../../../../src/venues/venue-a/orders/write-outcomes.ts';
import type { HttpOutcome } from '../../../../src/adapters/wire/http-calls.ts';
import { asId, type OrderId } from '../../../../src/domain/ids.ts';

const ID = asId<OrderId>(`0x${'ab'.repeat(32)}`);
const answered = (
  status: number,
  body: unknown,
  retryAfterMs: number | null = null,
): HttpOutcome => ({
  kind: 'answered',
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfterMs,
});
const accepted = {
  success: true,
  errorMsg: '',
  orderID: ID,
  status: 'live',
  makingAmount: '',
  takingAmount: '',
};

describe('L2: what an answer to a submission means', () => {
  it.each([
    ['live', accepted, { kind: 'accepted', orderId: ID, status: 'live' }],
    [
      'matched',
      { ...accepted, status: 'matched' },
      { kind: 'accepted', orderId: ID, status: 'matched' },
    ],
    [
      'delayed',
      { ...accepted, status: 'delayed' },
      { kind: 'accepted', orderId: ID, status: 'delayed' },
    ],
    [
      'the id in another case',
      { ...accepted, orderID: ID.toUpperCase().replace('0X', '0x') },
      { kind: 'accepted', orderId: ID, status: 'live' },
    ],
    ['unmatched', { ...accepted, status: 'unmatched' }, { kind: 'unknown' }],
    ['an unknown status', { ...accepted, status: 'parked' }, { kind: 'unknown' }],
    ['another order id', { ...accepted, orderID: '0x01' }, { kind: 'unknown' }],
    ['success without id and reason', { ...accepted, orderID: '' }, { kind: 'unknown' }],
    ['no success', { ...accepted, success: false }, { kind: 'unknown' }],
    [
      'success without id but with a reason',
      { ...accepted, orderID: '', status: '', errorMsg: 'no' },
      { kind: 'rejected', reason: 'no' },
    ],
    [
      'a killed order with status 200',
      {
        ...accepted,
        orderID: '',
        errorMsg:
          'no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.',
      },
      { kind: 'unfilled' },
    ],
    ['no JSON', '<html>', { kind: 'unknown' }],
    ['a list', [], { kind: 'unknown' }],
  ])('200 with %s', (_what, body, outcome) => {
    expect(submitOutcome(ID, answered(200, body))).toMatchObject(outcome);
  });

  it.each([
    [400, { error: 'invalid signature' }, { kind: 'rejected', reason: 'invalid signature' }],
    [400, { error: 'order 0xaa is invalid. Duplicated.' }, { kind: 'duplicate' }],
    [400, { error: 'order match delayed due to market conditions' }, { kind: 'unknown' }],
    [400, { error: 'the market is not yet ready to process new orders' }, { kind: 'deferred' }],
    [400, '<html>bad request</html>', { kind: 'unknown' }],
    [401, { error: 'Unauthorized/Invalid api key' }, { kind: 'rejected' }],
    [403, '<html>', { kind: 'restricted' }],
    [404, { error: 'No orderbook exists for the requested token id' }, { kind: 'rejected' }],
    [408, { error: 'timeout' }, { kind: 'unknown' }],
    [425, { error: 'service not ready' }, { kind: 'unknown' }],
    [500, { error: 'could not run the execution' }, { kind: 'unknown' }],
    [502, '<html>', { kind: 'unknown' }],
    [503, { error: 'upstream connect error' }, { kind: 'unknown' }],
    [302, '', { kind: 'unknown' }],
  ])('%i with %j', (status, body, outcome) => {
    expect(submitOutcome(ID, answered(status, body))).toMatchObject(outcome);
  });

  it('waits for as long as the venue says, within bounds', () => {
    const mode = {
      error: 'post-only mode: only post-only orders and cancels are allowed',
      code: 'post_only_mode',
      retry_after_seconds: 79,
    };
    expect(submitOutcome(ID, answered(503, mode))).toMatchObject({
      kind: 'deferred',
      retryAfterMs: 79_000,
    });
    expect(submitOutcome(ID, answered(503, mode, 5_000))).toMatchObject({ retryAfterMs: 5_000 });
    expect(submitOutcome(ID, answered(503, mode, 86_400_000))).toMatchObject({
      retryAfterMs: 120_000,
    });
    expect(submitOutcome(ID, answered(429, '<html>'))).toMatchObject({
      kind: 'deferred',
      retryAfterMs: 1_000,
    });
    expect(submitOutcome(ID, answered(503, { ...mode, retry_after_seconds: -1 }))).toMatchObject({
      retryAfterMs: 1_000,
    });
  });

  it('is deferred only when nothing was written, and unknown when the answer was lost', () => {
    expect(submitOutcome(ID, { kind: 'unsent', cause: 'ECONNREFUSED' })).toMatchObject({
      kind: 'deferred',
      reason: 'ECONNREFUSED',
    });
    expect(submitOutcome(ID, { kind: 'lost', cause: 'ECONNRESET' })).toEqual({
      kind: 'unknown',
      cause: 'ECONNRESET',
    });
  });

  it('never concludes anything from an answer of 5xx without the words of a closed mode', () => {
    fc.assert(
      fc.property(fc.integer({ min: 500, max: 599 }), fc.anything(), (status, body) => {
        expect(submitOutcome(ID, answered(status, { error: body })).kind).toMatch(
          /unknown|deferred/,
        );
      }),
    );
  });

  it('accepts nothing but our own id', () => {
    fc.assert(
      fc.property(
        fc.record({
          success: fc.boolean(),
          errorMsg: fc.constantFrom('', 'x'),
          orderID: fc.constantFrom(ID, '', '0x01'),
          status: fc.constantFrom('live', 'matched', 'delayed', 'unmatched', ''),
        }),
        (body) => {
          const isAccepted = submitOutcome(ID, answered(200, body)).kind === 'accepted';
          expect(isAccepted).toBe(
            body.success &&
              body.errorMsg === '' &&
              body.orderID === ID &&
              ['live', 'matched', 'delayed'].includes(body.status),
          );
        },
      ),
    );
  });
});

describe('L2: what an answer to a cancel means', () => {
  it.each([
    [200, { canceled: [ID], not_canceled: {} }, { kind: 'cancelled' }],
    [
      200,
      { canceled: [`0x${ID.slice(2).toUpperCase()}`], not_canceled: {} },
      { kind: 'cancelled' },
    ],
    [
      200,
      {
        canceled: [],
        not_canceled: { [ID]: "order can't be found - already canceled or matched" },
      },
      { kind: 'unclear' },
    ],
    [
      200,
      { canceled: [], not_canceled: { [ID]: 'the order is in delayed status' } },
      { kind: 'refused' },
    ],
    [200, { canceled: [], not_canceled: {} }, { kind: 'unknown' }],
    [200, { canceled: ['0x01'], not_canceled: {} }, { kind: 'unknown' }],
    [200, 'OK', { kind: 'unknown' }],
    [400, { error: 'Invalid orderID' }, { kind: 'refused', reason: 'Invalid orderID' }],
    [400, '<html>', { kind: 'unknown' }],
    [425, { error: 'service not ready' }, { kind: 'unknown' }],
    [429, { error: 'slow down' }, { kind: 'unknown' }],
    [
      503,
      { error: 'Trading is currently disabled. Check polymarket.com for updates' },
      { kind: 'unknown' },
    ],
  ])('%i with %j', (status, body, outcome) => {
    expect(cancelOutcome(ID, answered(status, body))).toMatchObject(outcome);
  });

  it('is unknown when the call failed on the way', () => {
    expect(cancelOutcome(ID, { kind: 'lost', cause: 'ECONNRESET' }).kind).toBe('unknown');
    expect(cancelOutcome(ID, { kind: 'unsent', cause: 'ECONNREFUSED' }).kind).toBe('unknown');
  });
});
