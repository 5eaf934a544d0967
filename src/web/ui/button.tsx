import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';

/** What a button looks like: `danger` ends something, `up` and `down` take a side. */
export type ButtonLook = 'primary' | 'plain' | 'danger' | 'up' | 'down';

/**
 * A button that says why it cannot be pressed: `blocked` is a sentence that stands below it and is
 * read with it. While `isBusy` it keeps its words and takes no second press.
 */
export function Button({
  look,
  isSmall = false,
  isWide = false,
  isBusy = false,
  blocked = null,
  children,
  ...rest
}: ComponentProps<'button'> & {
  readonly look?: ButtonLook;
  readonly isSmall?: boolean;
  readonly isWide?: boolean;
  readonly isBusy?: boolean;
  readonly blocked?: string | null;
  readonly children: ReactNode;
}) {
  const classes = [
    styles['button'],
    look === undefined ? '' : styles[look],
    isSmall ? styles['small'] : '',
    isWide ? styles['wide'] : '',
  ].join(' ');
  const button = (
    <button
      type="button"
      {...rest}
      className={classes}
      disabled={rest.disabled === true || isBusy || blocked !== null}
      aria-busy={isBusy}
    >
      {children}
    </button>
  );
  if (blocked === null) return button;
  return (
    <span style={isWide ? { display: 'block' } : undefined}>
      {button}
      <span className={styles['why']}>{blocked}</span>
    </span>
  );
}
