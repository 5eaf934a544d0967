import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/**
 * Asks before something that cannot be undone or that moves money. The button that changes nothing
 * comes first, and has the focus where the question has no field.
 */
export function Confirm({
  title,
  action,
  keep = 'Not now',
  isDanger = false,
  isBusy,
  blocked = null,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  /** What the button says that does it. */
  readonly action: string;
  /** What the button says that changes nothing. */
  readonly keep?: string;
  readonly isDanger?: boolean;
  readonly isBusy: boolean;
  /** Why it cannot be done yet; null where it can. */
  readonly blocked?: string | null;
  onConfirm(): void;
  onClose(): void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button autoFocus onClick={onClose}>
            {keep}
          </Button>
          <Button
            variant={isDanger ? 'danger' : 'primary'}
            isBusy={isBusy}
            blocked={blocked}
            onClick={onConfirm}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
