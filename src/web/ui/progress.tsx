import { Check, CircleQuestionMark, type LucideIcon, Undo2, X } from 'lucide-react';
import { useDaemonNow } from '../app/clock.ts';
import { duration } from '../format/time.ts';
import styles from './progress.module.css';
import { Moment } from './figures.tsx';

/** State of a step of something that takes a while; the last three end it. */
type StepState = 'done' | 'current' | 'ahead' | 'failed' | 'returned' | 'unknown';

/** One step, in the order in which they are taken. */
export interface Step {
  readonly name: string;
  readonly state: StepState;
  /** When it was done or ended, epoch ms; null where that is not known, or not so yet. */
  readonly atMs: number | null;
  /** What is to be said of it beside its name; null for nothing. */
  readonly note: string | null;
}

const STATES: Readonly<
  Record<StepState, { readonly words: string; readonly icon: LucideIcon | null }>
> = {
  done: { words: 'done', icon: Check },
  current: { words: 'awaited now', icon: null },
  ahead: { words: 'not yet', icon: null },
  failed: { words: 'failed', icon: X },
  returned: { words: 'given back', icon: Undo2 },
  unknown: { words: 'not known', icon: CircleQuestionMark },
};

/** Steps as a picture: beside each other where there is room for that, else below each other. */
export function ProgressSteps({
  name,
  steps,
}: {
  readonly name: string;
  readonly steps: readonly Step[];
}) {
  return (
    <div className={styles['room']}>
      <ol className={styles['steps']} aria-label={name}>
        {steps.map((step) => (
          <StepView key={step.name} of={step} />
        ))}
      </ol>
    </div>
  );
}

function StepView({ of: { name, state, atMs, note } }: { readonly of: Step }) {
  const { words, icon: Icon } = STATES[state];
  return (
    <li
      className={`${styles['step']} ${styles[state]}`}
      aria-current={state === 'current' ? 'step' : undefined}
    >
      <span className={styles['marker']} aria-hidden="true">
        {Icon === null ? null : <Icon size={12} strokeWidth={3} />}
      </span>
      <div>
        <span className={styles['name']}>{name}</span>
        <span className="hidden-visually">: {words}</span>
        {atMs === null ? null : (
          <div className="faint">
            <Moment atMs={atMs} />
          </div>
        )}
        {note === null ? null : (
          <div className={styles['note']}>
            <bdi>{note}</bdi>
          </div>
        )}
      </div>
    </li>
  );
}

/** Past this many times the usual, a wait is said to be long. */
const LONG_TIMES = 3;

/** How long something is under way, beside what it usually takes, ms; null where not known. */
export function UnderWay({
  sinceMs,
  usualMs,
}: {
  readonly sinceMs: number;
  readonly usualMs: number | null;
}) {
  const elapsedMs = useDaemonNow() - sinceMs;
  const isLong = usualMs !== null && elapsedMs > LONG_TIMES * usualMs;
  return (
    <p className={isLong ? 'warn' : 'muted'}>
      Under way for {elapsedMs < 1_000 ? '1 s' : duration(elapsedMs)}
      {usualMs === null
        ? '.'
        : `; ${isLong ? 'longer than usual: ' : ''}yours took about ${duration(Math.max(usualMs, 1_000))} before.`}
    </p>
  );
}
