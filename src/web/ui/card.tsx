import { type ReactNode, useId } from 'react';
import styles from './card.module.css';
import { Term } from './term.tsx';
import type { TermName } from './terms.ts';

/** A part of a page with its heading; `aside` is at the heading's right. */
export function Card({
  title,
  aside,
  isPadded = false,
  children,
}: {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  readonly isPadded?: boolean;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={styles['card']} aria-labelledby={title === undefined ? undefined : id}>
      {title === undefined ? null : (
        <header className={styles['head']}>
          <h2 id={id}>{title}</h2>
          {aside}
        </header>
      )}
      {isPadded ? <div className={styles['body']}>{children}</div> : children}
    </section>
  );
}

/**
 * A list of names and values, of which a term explains the name; a value that is unknown is "–".
 */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ReactNode, term?: TermName])[];
}) {
  return (
    <dl className={styles['facts']}>
      {rows.map(([name, value, term]) => (
        <div key={name} className={styles['fact']}>
          <dt>
            <Term of={term}>{name}</Term>
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
