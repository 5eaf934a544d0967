import type { ReactNode } from 'react';
import styles from './layout.module.css';
import { Term } from './term.tsx';
import type { TermName } from './terms.ts';

/** A page: its one heading, what is below it, and what can be done with all of it. */
export function Page({
  title,
  sub,
  actions,
  children,
}: {
  readonly title: ReactNode;
  readonly sub?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <div>
          <h1>{title}</h1>
          {sub === undefined ? null : <div className={styles['sub']}>{sub}</div>}
        </div>
        {actions}
      </header>
      {children}
    </div>
  );
}

/** Main column and a narrow one beside it; below each other where there is no room. */
export function Split({ main, side }: { readonly main: ReactNode; readonly side: ReactNode }) {
  return (
    <div className={styles['split']}>
      <div className={styles['column']}>{main}</div>
      <div className={styles['column']}>{side}</div>
    </div>
  );
}

/** Figures in a row. */
export function Stats({ children }: { readonly children: ReactNode }) {
  return <div className={styles['stats']}>{children}</div>;
}

/** One figure with its name, which `term` explains. */
export function Stat({
  name,
  term,
  isLarge = false,
  children,
}: {
  readonly name: string;
  readonly term?: TermName;
  readonly isLarge?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className={`${styles['stat']} ${isLarge ? styles['large'] : ''}`}>
      <span>
        <Term of={term}>{name}</Term>
      </span>
      <strong data-figure>{children}</strong>
    </div>
  );
}
