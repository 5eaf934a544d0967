import type { Problem } from '../api/problem.ts';

/**
 * Reports whether a read was refused because its address names nothing, so that asking again is of
 * no use. An address that is no id at all is refused as a request.
 */
export function isAbsent({ status, code }: Pick<Problem, 'status' | 'code'>): boolean {
  return status === 404 || code === 'invalid_request';
}
