import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PLACES } from './places.ts';
import styles from './palette.module.css';

const KEYS = [
  ['/', 'Search markets and pages'],
  ['j, k', 'Next row, row before'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close what is open'],
  ['?', 'These keys'],
] as const;

/** What the keyboard does on every page. */
export function KeyHelp({ onClose }: { onClose(): void }) {
  const chords = PLACES.flatMap(({ name, keys }) => (keys === '' ? [] : [[keys, name] as const]));
  return (
    <Dialog
      title="Keys"
      onClose={onClose}
      actions={
        <Button autoFocus onClick={onClose}>
          Close
        </Button>
      }
    >
      <dl className={styles['keys']}>
        {[...KEYS, ...chords].map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
