import { codesOf } from '../../src/http/openapi.ts';
import { createRouter } from '../../src/http/router.ts';
import { routeTable } from '../../src/app/route-table.ts';

const findRows = createRouter(routeTable);

/** An answer as it came. */
interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Holds an answer to what the interface's description says of its call: throws where the code, the
 * status or the shape is another.
 */
export function assertDescribed(method: string, path: string, { status, body }: Answered): void {
  const row = [...(findRows(path.split('?')[0] ?? '')?.routes.values() ?? [])].find(
    (route) => route.method === method,
  );
  if (row === undefined) return;
  const isDescribed =
    status < 400
      ? status === row.status && (row.output?.safeParse(body).success ?? true)
      : codesOf(row).some((code) => code === body['code']);
  if (!isDescribed)
    throw new Error(
      `${method} ${path} answers what its description does not say: ${status} ${JSON.stringify(body)}`,
    );
}
