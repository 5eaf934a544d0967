import type { ComponentProps, ReactNode } from 'react';
import { Page } from './layout.tsx';
import { Read } from './state.tsx';

/**
 * A page that is made of one answer: while it waits for that, and where it is refused, it has
 * `title` for its name.
 */
export function ReadPage<Answer>({
  title,
  of,
  lines = 8,
  children,
}: {
  readonly title: ReactNode;
  readonly of: ComponentProps<typeof Read<Answer>>['of'];
  readonly lines?: number;
  readonly children: (answer: Answer) => ReactNode;
}) {
  const read = (
    <Read of={of} lines={lines}>
      {children}
    </Read>
  );
  return of.data === undefined ? <Page title={title}>{read}</Page> : read;
}
