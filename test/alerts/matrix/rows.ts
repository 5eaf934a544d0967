import { readFileSync } from 'node:fs';
import { familyOf } from '../../crash/support/daemon.ts';
import type { FaultName, FaultRule } from '../../../src/sandbox/faults.ts';
import type { Sandbox } from './sandbox.ts';
import { moveFromSafe } from './theft.ts';
import * as traffic from './traffic.ts';
import type { Traffic } from './traffic.ts';

/** A fault, and what it raises. */
export interface MatrixRow {
  readonly name: string;
  readonly alerts: readonly string[];
  /** True of those that are over within half a minute. */
  readonly isQuick?: true;
  /** Seconds until they fire at the latest; 60 unless stated. */
  readonly withinS?: number;
  /** Seconds until all is quiet again at the latest; 120 unless stated. */
  readonly endS?: number;
  /** Has it happen; gives what ends it. */
  begin(sandbox: Sandbox): Promise<() => Promise<void>>;
}

/** Fifty dollars. */
const STOLEN_MICROS = 50_000_000n;

type Armed = readonly [FaultName, FaultRule?];

function armed(
  name: string,
  alert: string | null,
  faults: readonly Armed[],
  {
    drive,
    ...times
  }: Pick<MatrixRow, 'isQuick' | 'withinS' | 'endS'> & { readonly drive?: Traffic } = {},
): MatrixRow {
  return {
    name,
    alerts: alert === null ? [] : [alert],
    ...times,
    async begin(sandbox) {
      const clears: (() => Promise<void>)[] = [];
      for (const [fault, rule] of faults) clears.push(await sandbox.arm(fault, rule));
      const stop = drive?.(sandbox);
      return async () => {
        stop?.();
        for (const clear of clears) await clear();
      };
    },
  };
}

/** A fault whose row is named as it is. */
function fault(
  name: FaultName,
  alert: string | null,
  {
    rule = {},
    ...more
  }: Pick<MatrixRow, 'isQuick' | 'withinS' | 'endS'> & {
    readonly rule?: FaultRule;
    readonly drive?: Traffic;
  } = {},
): MatrixRow {
  return armed(name, alert, [[name, rule]], more);
}

/** Every row, in the order in which they run: what lasts comes last. */
export const ROWS: readonly MatrixRow[] = [
  fault('geoblocked', 'PredictdVenueRestricted', { isQuick: true }),
  fault('engine-restart', 'PredictdVenueRestarting'),
  fault('post-only-window', 'PredictdVenuePostOnly'),
  fault('cancel-only', 'PredictdVenueCancelOnly', { isQuick: true }),
  fault('trading-disabled', 'PredictdVenueCancelOnly', { isQuick: true }),
  fault('rate-limited', 'PredictdVenueThrottles', { rule: { percent: 30 } }),
  fault('rate-limited-html', 'PredictdVenueThrottles', { rule: { percent: 30 } }),
  fault('order-version-mismatch', 'PredictdOrderVersionMismatch', {
    rule: { times: 2 },
    isQuick: true,
  }),
  fault('schema-drift', 'PredictdVenueSchemaDrift', { rule: { percent: 20 } }),
  fault('unreadable-frame', 'PredictdVenueSchemaDrift', { rule: { times: 5 } }),
  fault('bad-gateway', 'PredictdVenueDown'),
  fault('heartbeat-lost', 'PredictdOrdersEndedUnasked', {
    rule: { delayMs: 1_000 },
    drive: traffic.resting,
  }),
  fault('silent-stall', 'PredictdBookSocketsStall', { withinS: 120 }),
  fault('mirror-broken', 'PredictdBookMirrorBroken', { rule: { percent: 50 } }),
  fault('feed-stall', 'PredictdFeedStale', { withinS: 120 }),
  fault('router-down', 'PredictdRouterDown', { drive: traffic.quotes }),
  fault('bridge-unavailable', 'PredictdBridgeDown', { drive: traffic.deposits }),
  fault('token-data-down', 'PredictdTokenDataDown', { drive: traffic.tokenLists }),
  armed('orders off the tick', null, [], { drive: traffic.faultyOrders }),
  fault('push-unavailable', 'PredictdPushDown', { drive: traffic.browser }),
  armed('codes that are not used', 'PredictdSignInAbuse', [], {
    drive: traffic.codes,
    withinS: 240,
  }),
  {
    name: 'the node of chain 137 stops',
    alerts: ['PredictdChainUnavailable'],
    withinS: 180,
    async begin(sandbox) {
      const pid = nodeOf(sandbox, 'polygonRpc');
      process.kill(pid, 'SIGSTOP');
      const stop = traffic.withdrawals(sandbox);
      return async () => {
        stop();
        process.kill(pid, 'SIGCONT');
      };
    },
  },
  fault('late-ack', null, { rule: { percent: 30, delayMs: 3_000 } }),
  fault('lost-ack', null, { rule: { times: 2 } }),
  fault('refused-silently', null, { rule: { times: 2 } }),
  fault('success-without-id', null, { rule: { times: 1 } }),
  fault('ghost-fill', null, { rule: { times: 1 } }),
  fault('duplicate-trade', null),
  fault('gap', null, { rule: { times: 2 } }),
  fault('crossed', null, { rule: { times: 2 } }),
  fault('zero-price-level', null),
  fault('time-backwards', null),
  fault('non-json-frame', null),
  fault('object-or-array', null),
  fault('balance-cache-stale', null),
  fault('underfill-dust', null),
  fault('other-version', 'PredictdMarketVersionUnsupported', { withinS: 330 }),
  fault('strike-contradicted', 'PredictdStrikeContradicted', { withinS: 400 }),
  {
    name: 'killed',
    alerts: ['PredictdServiceDown'],
    withinS: 150,
    async begin(sandbox) {
      const { signal, ended } = sandbox.daemon();
      signal('SIGKILL');
      await ended;
      return () => sandbox.restart();
    },
  },
  {
    name: 'event loop held up',
    alerts: ['PredictdEventLoopBlocked'],
    withinS: 120,
    async begin(sandbox) {
      const { signal } = sandbox.daemon();
      signal('SIGUSR2');
      // the second one ends it: a restart would be a service that is down
      return () => {
        signal('SIGUSR2');
        return Promise.resolve();
      };
    },
  },
  // what they leave behind lasts: only these come after
  fault('balance-drops-elsewhere', 'PredictdFundsDisputed', {
    rule: { times: 1 },
    withinS: 240,
    // the pause before the next order doubles, and the first that is taken ends it
    endS: 500,
  }),
  {
    name: 'money leaves a Safe by another key',
    alerts: ['PredictdMoneyMismatched'],
    withinS: 300,
    endS: 1,
    async begin(sandbox) {
      await moveFromSafe(sandbox, STOLEN_MICROS);
      return () => Promise.resolve();
    },
  },
];

/** Returns the process that serves a chain of the sandbox. */
function nodeOf(sandbox: Sandbox, name: string): number {
  const { port } = new URL(sandbox.addresses()[name] ?? '');
  const found = familyOf(sandbox.daemon().pid).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(port),
  );
  if (found === undefined) throw new Error(`no process serves ${name}`);
  return found;
}
