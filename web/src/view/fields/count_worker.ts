/** Counts classes on a thread of its own (class_counter.ts asks). */
import { classCounts } from "./field_range.js";

export interface CountRequest {
  id: number;
  data: Uint32Array;
  most: number;
}

const scope = self as unknown as { onmessage: (event: MessageEvent<CountRequest>) => void; postMessage(message: unknown): void };

scope.onmessage = ({ data: { id, data, most } }) => scope.postMessage({ id, ...classCounts({ data }, most) });
