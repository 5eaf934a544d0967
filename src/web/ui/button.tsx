import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';

/** How a button is shown: `danger` ends something, `up` and `down` take a side. */
export type ButtonVariant = 'primary' | 'plain' | 'danger' | 'up' | 'down';

/**
 * A button that says why it cannot be pressed: `blocked` is a sentence that is shown below it and
 * read with it. While `isBusy` it keeps its words and takes no second press.
 */
export function Button({
  variant,
  isSmall = false,
  isWide = false,
  isBusy = false,
  blocked = null,
  children,
  ...rest
}: ComponentProps<'button'> & {
  readonly variant?: ButtonVariant;
  readonly isSmall?: boolean;
  readonly isWide?: boolean;
  readonly isBusy?: boolean;
  readonly blocked?: string | null;
  readonly children: ReactNode;
}) {
  const classes = [
    styles['button'],
    variant === undefined ? '' : styles[variant],
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
