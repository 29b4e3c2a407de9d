/** Long lists of curves, by what they measure: fifty names under one another are not read. */
import { unitText } from "../format.js";

export interface SeriesGroup {
  title: string; /* empty: the list is short enough to stay one */
  members: { index: number; label: string }[]; /* index: into the series given */
}

const FEW = 12;

/* Units of the curves of today's methods; another is its own name. */
const QUANTITY: Record<string, string> = {
  "s": "Time",
  "m": "Lengths",
  "m/s": "Velocities",
  "m/s^2": "Accelerations",
  "m^2": "Areas",
  "rad": "Angles",
  "rad/s": "Spins",
  "Hz": "Frequencies",
  "kg": "Masses",
  "N": "Forces",
  "N/m": "Stiffnesses",
  "N m": "Torques",
  "N s": "Impulses",
  "kg m/s": "Momenta",
  "kg m^2/s": "Angular momenta",
  "J": "Energies",
  "W": "Powers",
  "Pa": "Stresses",
  "1": "Counts and ratios",
};

/** The series in groups of one unit each, in the order in which the units appear; one group without a title when there are few. */
export function seriesGroups(series: readonly { label: string; unit: string }[]): SeriesGroup[] {
  const all = series.map(({ label }, index) => ({ index, label }));
  if (series.length <= FEW) return [{ title: "", members: all }];
  const units = [...new Set(series.map(({ unit }) => unit))];
  return units.map((unit) => ({ title: QUANTITY[unit] ?? unitText(unit), members: all.filter(({ index }) => series[index]?.unit === unit) }));
}
