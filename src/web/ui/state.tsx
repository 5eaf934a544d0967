import { type ReactNode, useEffect, useState } from 'react';
import type { Problem } from '../api/problem.ts';
import { sentence } from '../format/text.ts';
import { countdown } from '../format/time.ts';
import { Button } from './button.tsx';
import styles from './state.module.css';

/**
 * Lines of the height that the answer will have; seen after 150 ms, so that a quick answer does not
 * flicker.
 */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className={styles['lines']} aria-busy="true">
      <span className="hidden-visually">Loading</span>
      {Array.from({ length: lines }, (_each, index) => (
        <span
          key={index}
          className={styles['skeleton']}
          style={{ height: 20, width: `${90 - ((index * 23) % 45)}%` }}
        />
      ))}
    </div>
  );
}

/** A wait longer than this is put into words, ms. */
const SLOW_AFTER_MS = 8_000;

/** Loading; with words once that takes long, and what can be done. */
export function Waiting({
  lines,
  onRetry,
}: {
  readonly lines?: number | undefined;
  readonly onRetry?: () => void;
}) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <Skeleton {...(lines === undefined ? {} : { lines })} />
      {isSlow ? (
        <div className={styles['empty']} role="status">
          <p>This takes longer than usual. It goes on by itself.</p>
          {onRetry === undefined ? null : <Button onClick={onRetry}>Load the page again</Button>}
        </div>
      ) : null}
    </>
  );
}

/** Answered, and there is nothing: one sentence and the next step. */
export function Empty({
  children,
  next,
}: {
  readonly children: ReactNode;
  readonly next?: ReactNode;
}) {
  return (
    <div className={styles['empty']}>
      <p>{children}</p>
      {next}
    </div>
  );
}

/**
 * A refusal in the daemon's words, with the number that support asks for; nothing where the form
 * shows each of its faults at a field, and no number where a field is at fault.
 */
export function ProblemNote({
  problem,
  fields = [],
  onRetry,
}: {
  readonly problem: Problem;
  /** Fields of the form that show their own fault, by their names in the body. */
  readonly fields?: readonly string[];
  readonly onRetry?: () => void;
}) {
  if (problem.isShownAt(fields)) return null;
  return (
    <div className={styles['problem']} role="alert">
      <strong>{sentence(problem.title)}</strong>
      {problem.message === problem.title ? null : <span>{sentence(problem.message)}</span>}
      {problem.status !== 429 || problem.retryAfterMs === null ? null : (
        <span>It can be asked again in {countdown(problem.retryAfterMs)}.</span>
      )}
      {problem.link === null ? null : (
        <a className="link" href={problem.link} rel="noreferrer">
          {problem.code === 'cap_exceeded' ? 'See your limits' : 'Do what is missing'}
        </a>
      )}
      <span className={styles['request']}>
        {problem.requestId === null || problem.faults.length > 0 ? null : (
          <span>Request {problem.requestId}</span>
        )}
        {onRetry === undefined ? null : (
          <Button isSmall onClick={onRetry}>
            Try again
          </Button>
        )}
      </span>
    </div>
  );
}

/**
 * Shows a read as it is now: loading, refused, empty, or its answer. Old data stays while it is
 * read again.
 */
export function Read<Answer>({
  of,
  lines,
  isEmpty,
  empty,
  children,
}: {
  readonly of: {
    readonly data: Answer | undefined;
    readonly error: Problem | null;
    refetch(): Promise<unknown>;
  };
  readonly lines?: number;
  readonly isEmpty?: (answer: Answer) => boolean;
  readonly empty?: ReactNode;
  readonly children: (answer: Answer) => ReactNode;
}) {
  if (of.data !== undefined) {
    if (isEmpty?.(of.data) === true) return empty;
    return (
      <>
        {of.error === null ? null : (
          <ProblemNote problem={of.error} onRetry={() => void of.refetch()} />
        )}
        {children(of.data)}
      </>
    );
  }
  if (of.error !== null)
    return <ProblemNote problem={of.error} onRetry={() => void of.refetch()} />;
  return <Waiting lines={lines} />;
}

/** The state of something, as a dot of its own shape with words: colour is never alone. */
export type DotState = 'on' | 'off' | 'late' | 'bad';

/** A state with its words. */
export function StateDot({
  state,
  children,
}: {
  readonly state: DotState;
  readonly children: ReactNode;
}) {
  const colour =
    state === 'on' ? 'up' : state === 'late' ? 'warn' : state === 'bad' ? 'down' : 'faint';
  return (
    <span className={colour}>
      <span className={`${styles['dot']} ${styles[state]}`} aria-hidden="true" />
      {children}
    </span>
  );
}

/** Dims figures that are old. */
export function Aged({
  isOld,
  children,
}: {
  readonly isOld: boolean;
  readonly children: ReactNode;
}) {
  return <div className={isOld ? styles['old'] : undefined}>{children}</div>;
}
