import { z } from 'zod';
import type { Clock } from '../ports/clock.ts';
import { FAULTS, isFaultName, type FaultBoard, type FaultRule } from './faults.ts';
import { failed, ok, serveHttp, type Listening, type Reply } from './wire/http-server.ts';

const ruleSchema = z.strictObject({
  name: z.string(),
  times: z.int().min(1).optional(),
  percent: z.int().min(1).max(100).optional(),
  delayMs: z.int().min(0).max(3_600_000).optional(),
  match: z
    .partialRecord(
      z.enum(['owner', 'address', 'marketId', 'tokenId', 'orderId', 'path', 'asset']),
      z.string(),
    )
    .optional(),
});

/**
 * Serves the sandbox's own switchboard: `GET /faults` lists names, what they do and whether they
 * are armed; `POST /faults {"name":"late-ack","times":1}` arms one; `DELETE /faults/:name` disarms
 * it. The real venue has no such thing.
 */
export function startControl({
  faults,
  clock,
  port,
}: {
  readonly faults: FaultBoard;
  readonly clock: Clock;
  readonly port?: number;
}): Promise<Listening> {
  return serveHttp({
    clock,
    ...(port === undefined ? {} : { port }),
    routes: [
      {
        method: 'GET',
        path: '/faults',
        run: () =>
          ok(
            Object.entries(FAULTS).map(([name, effect]) => ({
              name,
              effect,
              armed: isFaultName(name) && faults.armed().includes(name),
            })),
          ),
      },
      { method: 'POST', path: '/faults', run: ({ body }) => arm(faults, body) },
      {
        method: 'DELETE',
        path: '/faults/:name',
        run: ({ params }) => disarm(faults, params['name'] ?? ''),
      },
      { method: 'GET', path: '/time', run: () => ok({ nowMs: clock.nowMs() }) },
    ],
  });
}

function arm(faults: FaultBoard, body: string): Reply {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return failed(400, 'the body is not JSON');
  }
  const read = ruleSchema.safeParse(parsed);
  if (!read.success)
    return failed(
      400,
      `not a fault rule: ${read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
    );
  const { name, ...rest } = read.data;
  if (!isFaultName(name)) return failed(404, `no such fault: ${name}`);
  faults.arm(name, definedOnly(rest));
  return ok({ name, armed: true });
}

function disarm(faults: FaultBoard, name: string): Reply {
  if (!isFaultName(name)) return failed(404, `no such fault: ${name}`);
  faults.clear(name);
  return ok({ name, armed: false });
}

/**
 * A rule says nothing about what was left out; the schema's types allow `undefined` where the
 * rule's do not.
 */
function definedOnly({
  times,
  percent,
  delayMs,
  match,
}: Omit<z.output<typeof ruleSchema>, 'name'>): FaultRule {
  return {
    ...(times === undefined ? {} : { times }),
    ...(percent === undefined ? {} : { percent }),
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(match === undefined
      ? {}
      : {
          match: Object.fromEntries(
            Object.entries(match).filter(([, value]) => value !== undefined),
          ),
        }),
  };
}
