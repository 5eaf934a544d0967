import type { z } from 'zod';
import type { VenueId } from '../domain/ids.ts';
import type { PositionsView } from '../ports/positions-view.ts';
import type { VenueParts } from './contract.ts';
import { settingsOf } from './settings.ts';

/** What the service lends a view. */
type ViewParts = Pick<VenueParts, 'transport' | 'wallClock' | 'metrics'>;

/** A view-only venue before it is opened: one row of the table. */
export interface ViewRow {
  readonly id: VenueId;
  /**
   * Opens the view; nothing is called before its port is used. Errors: `config_invalid` for
   * settings it cannot be opened with.
   */
  open(parts: ViewParts, settings: unknown): PositionsView;
}

/** Makes a row of what a view is opened with and how; settings are checked before that. */
export function viewRow<Settings>(row: {
  readonly id: VenueId;
  readonly settings: z.ZodType<Settings>;
  open(parts: ViewParts, settings: Settings): Omit<PositionsView, 'id'>;
}): ViewRow {
  const { id } = row;
  return {
    id,
    open: (parts, given) => ({ ...row.open(parts, settingsOf(id, row.settings, given)), id }),
  };
}
