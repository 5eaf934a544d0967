import { SANDBOX_VIEW } from '../../../../config/limits/sandbox.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FaultBoard } from '../../faults.ts';
import {
  failed,
  ok,
  serveHttp,
  type Call,
  type Listening,
  type Reply,
} from '../../wire/http-server.ts';
import { CallWindow } from './call-window.ts';
import { holdingsOf, type PortfolioRow } from './holdings.ts';

/** Starts the venue's interface: the portfolio of an address (venue_d.md section 5.1). */
export function startPortfolioServer({
  clock,
  faults,
  port,
}: {
  /** The wall's: rates and ends are of it. */
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly port?: number;
}): Promise<Listening> {
  const free = new CallWindow(clock, SANDBOX_VIEW.freeCalls);
  const keyed = new CallWindow(clock, SANDBOX_VIEW.keyedCalls);
  return serveHttp({
    clock,
    ...(port === undefined ? {} : { port }),
    routes: [
      {
        method: 'GET',
        path: '/users/:address/portfolio',
        run(call) {
          const isKeyed = call.header('x-api-key') !== '' || call.query.has('api_key');
          const { calls } = isKeyed ? SANDBOX_VIEW.keyedCalls : SANDBOX_VIEW.freeCalls;
          const place = (isKeyed ? keyed : free).take();
          const headers = {
            'x-ratelimit-limit': String(calls),
            'x-ratelimit-remaining': String(place.remaining),
            'x-ratelimit-reset': String(Math.ceil(place.resetAtMs / 1_000)),
          };
          if (!place.isGranted || faults.take('view-busy') !== null)
            return { ...failed(429, 'Too many requests'), headers };
          if (faults.take('view-down') !== null)
            return { ...failed(500, 'Internal server error'), headers };
          const late = faults.take('view-late');
          return {
            ...portfolio(call, { nowMs: clock.nowMs(), faults }),
            headers,
            ...(late === null ? {} : { delayMs: late.delayOr(SANDBOX_VIEW.lateMs) }),
          };
        },
      },
    ],
  });
}

function portfolio(
  { params, query }: Call,
  { nowMs, faults }: { readonly nowMs: number; readonly faults: FaultBoard },
): Extract<Reply, { kind: 'json' }> {
  const address = params['address'] ?? '';
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return failed(400, 'Invalid address');
  const [page, limit] = [wholeOf(query, 'page', 1), wholeOf(query, 'limit', 20)];
  const minimum = Number(query.get('min_shares') ?? '0.1');
  const model = modelOf(query);
  if (page === null || limit === null || limit > 100 || Number.isNaN(minimum) || model === null)
    return failed(400, 'Invalid query parameters');
  const rows = holdingsOf(address, nowMs).filter(
    (row) =>
      row.shares >= minimum &&
      (model === 'all' || row.executionMode === (model === 'ob' ? 1 : 0)) &&
      FILTERS.every(([name, field]) => !query.has(name) || isNamed(row, field, query.get(name))),
  );
  const totalPages = Math.ceil(rows.length / limit);
  const shown = rows.slice((page - 1) * limit, page * limit);
  return ok({
    data: faults.take('view-bad-numbers') === null ? shown : shown.map(spoilt),
    pagination: {
      page,
      limit,
      total: rows.length,
      totalPages,
      hasNext: page < totalPages,
      hasPrev: page > 1,
    },
  });
}

/** Parameters that keep rows of one value (section 5.1). */
const FILTERS = [
  ['market_slug', 'marketSlug'],
  ['market_id', 'marketId'],
  ['network_id', 'networkId'],
  ['token_address', 'token'],
] as const;

function isNamed(row: PortfolioRow, field: keyof PortfolioRow, wanted: string | null): boolean {
  return String(row[field]).toLowerCase() === wanted?.toLowerCase();
}

function wholeOf(query: URLSearchParams, name: string, usual: number): number | null {
  const text = query.get(name) ?? String(usual);
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;
}

/** Rows of pools alone unless asked for, by the newer name or the older one (section 4). */
function modelOf(query: URLSearchParams): 'amm' | 'ob' | 'all' | null {
  const older = { '0': 'amm', '1': 'ob' }[query.get('execution_mode') ?? '0'] ?? null;
  const model = query.get('trading_model') ?? older;
  return model === 'amm' || model === 'ob' || model === 'all' ? model : null;
}

/** What a row is worth as text, as some answers have it, and of every third one no number. */
function spoilt(row: PortfolioRow, index: number): unknown {
  if (index % 3 === 0) return { ...row, value: 'NaN' };
  return index % 3 === 1
    ? { ...row, shares: -row.shares }
    : { ...row, value: String(row['value']) };
}
