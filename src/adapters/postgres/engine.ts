import { randomUUID } from 'node:crypto';
import { Client, DatabaseError, type ClientConfig, type QueryResultRow } from 'pg';
import { SHARED_LOG } from '../../../config/limits/shared-log.ts';
import { backOffMs } from '../../domain/back-off.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { createRealTimers } from '../clock/real-timers.ts';

/** Rows of an answer, and whether the engine warned that it may not be carried out everywhere. */
interface Answer<Row> {
  readonly rows: readonly Row[];
  /**
   * A commit that was not waited for by a standby is answered like any other, with a warning
   * (cluster.md section 10).
   */
  readonly isDoubtful: boolean;
}

/** How a cluster of PostgreSQL is reached. */
export interface EngineAddress {
  /** Addresses of its nodes; the one that takes writes is sought. */
  readonly urls: readonly string[];
  readonly tls: Pick<
    Exclude<ClientConfig['ssl'], boolean | undefined>,
    'ca' | 'cert' | 'key'
  > | null;
}

/** One connection to the node that takes writes, made anew where it was lost. */
export interface Engine {
  /** Names its connections, one after another, in `pg_stat_activity`. */
  readonly session: string;
  /** False from the moment the connection is known to be gone, until there is another one. */
  isConnected(): boolean;
  /**
   * Puts one statement. Errors: `store_unavailable` where it is unknown whether it was carried out,
   * or no node takes writes; the connection is then made anew by the next one.
   */
  ask<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Answer<Row>>;
  close(): Promise<void>;
}

/**
 * Opens the connection. `title` names it to people who read the database. Errors:
 * `store_unavailable` where no node takes writes.
 */
export async function openEngine(address: EngineAddress, title: string): Promise<Engine> {
  const name = `${title.slice(0, TITLE_MAXIMUM)} ${randomUUID().slice(0, 8)}`;
  let connection: Connection | null = await connect(address, name);
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function put<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<Answer<Row>> {
    connection ??= await connect(address, name);
    const current = connection;
    current.warnings = 0;
    try {
      const { rows } = await current.client.query<Row>(text, [...values]);
      return { rows, isDoubtful: current.warnings > 0 };
    } catch (cause) {
      // A backend that is left behind would wait on the row for as long as its commit does.
      connection = null;
      await current.end();
      throw isPassing(cause) ? unreachable(cause) : refused(cause);
    }
  }

  return {
    session: name,
    isConnected: () => connection?.isOver === false,
    ask(text, values = []) {
      if (waiting >= SHARED_LOG.statementsWaitingMaximum)
        return Promise.reject(unreachable('too many statements wait for it'));
      waiting += 1;
      const asked = turn.then(() => put<never>(text, values));
      turn = asked.catch(() => undefined).finally(() => (waiting -= 1));
      return asked;
    },
    async close() {
      await turn;
      await connection?.end();
      connection = null;
    },
  };
}

/** PostgreSQL cuts longer names. */
const TITLE_MAXIMUM = 50;
const END_ABANDONED = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = $1 and pid <> pg_backend_pid()`;

interface Connection {
  readonly client: Client;
  /** Since the last statement. */
  warnings: number;
  isOver: boolean;
  end(): Promise<void>;
}

async function connect({ urls, tls }: EngineAddress, name: string): Promise<Connection> {
  let why: unknown = 'no node takes writes';
  for (const connectionString of urls) {
    const client = new Client({
      connectionString,
      application_name: name,
      connectionTimeoutMillis: SHARED_LOG.connectTimeoutMs,
      query_timeout: SHARED_LOG.statementTimeoutMs,
      keepAlive: true,
      ...(tls === null ? {} : { ssl: tls }),
    });
    const connection: Connection = {
      client,
      warnings: 0,
      isOver: false,
      end: () => client.end().catch(() => undefined),
    };
    // A connection that breaks between two statements is found by the next one.
    client.on('error', () => (connection.isOver = true));
    client.on('end', () => (connection.isOver = true));
    client.on('notice', ({ severity }) => {
      if (severity === 'WARNING') connection.warnings += 1;
    });
    try {
      await client.connect();
      const { rows } = await client.query<{ pg_is_in_recovery: boolean }>(
        'select pg_is_in_recovery()',
      );
      if (rows[0]?.pg_is_in_recovery === false) {
        // What an abandoned statement waits for it would wait for as long as no standby is there.
        await client.query(END_ABANDONED, [name]);
        return connection;
      }
    } catch (cause) {
      why = cause;
    }
    await connection.end();
  }
  throw unreachable(why);
}

/** The machine's own, which no setting of the wall clock moves. */
export const STEADY_CLOCK: Clock = createRealTimers(() => performance.now(), 1);

/** Resolves after this long. */
export function wait(clock: Pick<Clock, 'after'>, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(delayMs, resolve));
}

/** Asks again until it is answered or over, longer apart each time. Errors: those of `ask`. */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  isOver: () => boolean,
  clock: Pick<Clock, 'after'> = STEADY_CLOCK,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await ask();
    } catch (cause) {
      if (isOver() || !(cause instanceof AppError) || !cause.retryable) throw cause;
      const { againFirstMs: firstMs, againMaximumMs: maximumMs } = SHARED_LOG;
      await wait(clock, backOffMs(failures, { firstMs, maximumMs }));
    }
  }
}

/** Classes of errors that pass: connection, resources, intervention, read-only since a failover. */
const PASSING = ['08', '25', '40', '53', '57'];

/** False where the engine has understood the statement and will never carry it out. */
function isPassing(cause: unknown): boolean {
  return !(cause instanceof DatabaseError) || PASSING.includes(String(cause.code).slice(0, 2));
}

function refused(cause: unknown): AppError {
  return new AppError('internal', `the log of the shard was refused: ${textOf(cause)}`, { cause });
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function unreachable(cause: unknown): AppError {
  const why = textOf(cause);
  return new AppError('store_unavailable', `the log of the shard is not reached: ${why}`, {
    retryable: true,
    cause,
  });
}
