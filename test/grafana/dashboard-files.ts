import { fileURLToPath } from 'node:url';
import { dashboardOf } from './dashboard.ts';
import type { Board } from './panel.ts';

/** Folder of what Grafana reads. */
export const GRAFANA_FOLDER = fileURLToPath(new URL('../../config/grafana/', import.meta.url));

/** Returns the file of a dashboard. */
export function fileOf({ uid }: Board): string {
  return `${GRAFANA_FOLDER}dashboards/${uid.replace('predictd-', '')}.json`;
}

/** Returns a dashboard as it is in its file. */
export function textOf(board: Board): string {
  return `${JSON.stringify(dashboardOf(board), null, 1)}\n`;
}
