import { type ReactNode, useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import styles from './dialog.module.css';

/**
 * A question in front of the page. Escape and the safe button close it; the first element with
 * `autoFocus` has the focus, which is the safe one where something cannot be undone. It lies
 * outside of the form that opened it, whose `onSubmit` is not called for a form inside of it.
 */
export function Dialog({
  title,
  actions,
  onClose,
  children,
}: {
  readonly title: string;
  readonly actions: ReactNode;
  onClose(): void;
  readonly children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
  }, []);
  return createPortal(
    <dialog
      ref={element}
      className={styles['dialog']}
      aria-labelledby={id}
      onSubmit={(event) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className={styles['head']}>
        <h2 id={id}>{title}</h2>
      </div>
      <div className={styles['body']}>{children}</div>
      <div className={styles['actions']}>{actions}</div>
    </dialog>,
    document.body,
  );
}
