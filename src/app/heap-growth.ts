import { setFlagsFromString } from 'node:v8';
import { HEAP } from '../../config/limits/heap.ts';

/**
 * Has the heap of this process collected whenever it has grown by HEAP.growthPercent over what was
 * live: small collections hold the event loop for a shorter time than a few large ones. For a
 * process of the daemon's own, once its start has read what it holds; it cannot be taken back.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP.growthPercent}`);
}
