import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { routeTable } from '../../src/app/route-table.ts';
import { AppError } from '../../src/domain/errors.ts';
import { withPlaces, type InputSchemas } from '../../src/http/route-input.ts';
import { ONE_TIME_CODE_HEADERS } from '../../src/http/routes/one-time-code.ts';

function placed(input: InputSchemas, ...paths: string[]): readonly string[] {
  const fields = paths.map((path) => ({ path, message: 'wrong' }));
  const error = withPlaces(new AppError('code_invalid', 'wrong', { fields }), input);
  return error instanceof AppError ? error.fields.map(({ path }) => path) : [];
}

describe('where a fault that a service names by its field lies', () => {
  it('is the header of a code also where the call has a body, whose own fields stay its own', () => {
    const transfer = routeTable.find(({ operationId }) => operationId === 'createTransfer');
    expect(placed(transfer?.input ?? {}, '/code', '/challengeId', '/amount')).toEqual([
      '/header/x-one-time-code',
      '/header/x-challenge-id',
      '/amount',
    ]);
    const body = z.strictObject({ code: z.string() });
    expect(placed({ body, headers: ONE_TIME_CODE_HEADERS }, '/code', '/challengeId')).toEqual([
      '/code',
      '/header/x-challenge-id',
    ]);
  });

  it('is the query where the call has no body, and the body else', () => {
    const query = z.strictObject({ amount: z.string() });
    expect(placed({ query }, '/amount', '/other')).toEqual(['/query/amount', '/other']);
    expect(placed({ query, body: z.strictObject({ amount: z.string() }) }, '/amount')).toEqual([
      '/amount',
    ]);
  });

  it('is the header at every call that takes a code there', () => {
    const taking = routeTable.filter(({ input }) => 'X-One-Time-Code' in (input.headers ?? {}));
    expect(
      taking.map(({ operationId, input }) => [operationId, ...placed(input, '/code')]),
    ).toEqual(taking.map(({ operationId }) => [operationId, '/header/x-one-time-code']));
    expect(taking.length).toBeGreaterThan(2);
  });
});
