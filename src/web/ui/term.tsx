import { type ReactNode, useId } from 'react';
import styles from './term.module.css';
import { TERMS, type TermName } from './terms.ts';

/** Words that say what they mean when they are pressed; by keyboard and on a phone too. */
export function Explained({
  text,
  children,
}: {
  readonly text: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <>
      <button type="button" className={styles['term']} popoverTarget={id}>
        {children}
      </button>
      <span id={id} popover="auto" role="note" className={styles['note']}>
        {text}
      </span>
    </>
  );
}

/** A term of trading that is explained where it is met; without a name it is shown as it is. */
export function Term({
  of,
  children,
}: {
  readonly of: TermName | undefined;
  readonly children: ReactNode;
}) {
  return of === undefined ? children : <Explained text={TERMS[of]}>{children}</Explained>;
}
