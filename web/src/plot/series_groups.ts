/** Long lists of curves, by what they measure: fifty names under one another are not read. */
import * as english from "../english/plot.js";
import { unitText } from "../format.js";

export interface SeriesGroup {
  title: string; /* empty: the list is short enough to stay one */
  members: { index: number; label: string }[]; /* index: into the series given */
}

const FEW = 12;

/* Units of the curves of today's methods; another is its own name. */
const QUANTITY: Record<string, string> = {
  "s": english.group.time,
  "m": english.group.lengths,
  "m/s": english.group.velocities,
  "m/s^2": english.group.accelerations,
  "m^2": english.group.areas,
  "rad": english.group.angles,
  "rad/s": english.group.spins,
  "Hz": english.group.frequencies,
  "kg": english.group.masses,
  "N": english.group.forces,
  "N/m": english.group.stiffnesses,
  "N m": english.group.torques,
  "N s": english.group.impulses,
  "kg m/s": english.group.momenta,
  "kg m^2/s": english.group.angularMomenta,
  "J": english.group.energies,
  "W": english.group.powers,
  "Pa": english.group.stresses,
  "1": english.group.counts,
};

/** The series in groups of one unit each, in the order in which the units appear; one group without a title when there are few. */
export function seriesGroups(series: readonly { label: string; unit: string }[]): SeriesGroup[] {
  const all = series.map(({ label }, index) => ({ index, label }));
  if (series.length <= FEW) return [{ title: "", members: all }];
  const units = [...new Set(series.map(({ unit }) => unit))];
  return units.map((unit) => ({ title: QUANTITY[unit] ?? unitText(unit), members: all.filter(({ index }) => series[index]?.unit === unit) }));
}
