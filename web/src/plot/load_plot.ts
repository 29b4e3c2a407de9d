/** The plot that a press of platens is run for: force over displacement of the platen that moves, where the recording declares none of the kind. */
import type { PlotDeclaration, Topology } from "../recording/topology.js";

/** Null where there are no platens, or a plot that is not over time was declared. */
export function loadPlot({ series, plots }: Topology): PlotDeclaration | null {
  if (plots.some(({ x }) => x !== "time")) return null;
  for (const part of ["platen.top", "platen.bottom"]) {
    const [x, y] = [`${part}.displacement`, `${part}.force_z`];
    if ([x, y].every((name) => series.some((one) => one.name === name))) return { x, y, title: "", scale: 1, unit: "", movingAverage: 1 };
  }
  return null;
}
