import { expect, it } from 'vitest';
import { isAbsent } from '../../../src/web/ui/absent.ts';

it('an address names nothing where its read is not found or no request, and else may be read later', () => {
  expect(isAbsent({ status: 404, code: 'not_found' })).toBe(true);
  expect(isAbsent({ status: 422, code: 'invalid_request' })).toBe(true);
  expect(isAbsent({ status: 0, code: 'no_answer' })).toBe(false);
  expect(isAbsent({ status: 503, code: 'venue_unavailable' })).toBe(false);
});
