/** Texts of the plots: curves of a job and of others compared with it, what is read off them, and figures of tables. The first word of a name is the panel. */

/* Curves */
export const enum curve {
  empty = "The curve appears here with the first samples.",
}
export const curveLabel = (y: string, x: string, samples: number): string => `${y} against ${x}, ${samples} samples`;
export const curveNow = (value: string): string => `; at the time shown ${value}`;
export const curveWith = (other: string, samples: number): string => `; with ${other}, ${samples} samples`;
export const enum board {
  drag = "Drag this plot to another place",
  add = "Add a plot",
  up = "Move this plot up",
  remove = "Remove this plot",
}

/* One plot */
export const enum panel {
  averageLabel = "Moving average, samples",
  readTitle = "Numbers of the part of the curve that is shown",
  read = "Read off",
  horizontal = "Horizontal axis",
  vertical = "Vertical axis",
  which = "Which plot",
  own = "Own choice",
  curves = "Curves",
  plot = "Plot",
  y = "y",
  x = "x",
  average = "Average over",
  logX = "Log x",
  logY = "Log y",
  contactTitle = "Moves each curve so that x is 0 where y first reaches a hundredth of its largest value",
  contact = "From first contact",
  wholeTitle = "Drag in the plot to zoom in, double-click to zoom out",
  whole = "Whole curve",
  saveLabel = "Save the plot",
  save = "Save plot as",
  peak = "Peak",
  difference = "Difference",
  slope = "Slope",
  energy = "Energy under the curve",
  integral = "Integral",
  mean = "Mean",
}
export const panelPeakAt = (y: string, x: string): string => `${y} at ${x}`;
export const panelDifferenceOver = (y: string, x: string): string => `${y} over ${x}`;

/* Other jobs' curves */
export const otherJob = (job: number, about: string): string => `Job ${job}: ${about}`;
export const enum other {
  example = "name or number",
  found = "Jobs found",
  compare = "Compare with",
  none = "No other job has that name or number.",
  noMore = "There is no further job.",
  noneYet = "There is no other job yet.",
}
export const otherNumber = (job: number): string => `Job ${job}`;
export const otherNoCurve = (job: number, curve: string): string => `Job ${job} has no curve ${curve}.`;
export const otherMost = (count: number): string => `At most ${count} other jobs can be shown at once.`;
export const otherRemove = (job: number): string => `Remove job ${job} from the plot`;
export const otherGone = (job: number): string => `There is no job ${job} any more.`;

/* Groups of curves */
export const enum group {
  time = "Time",
  lengths = "Lengths",
  velocities = "Velocities",
  accelerations = "Accelerations",
  areas = "Areas",
  angles = "Angles",
  spins = "Angular velocities",
  frequencies = "Frequencies",
  masses = "Masses",
  forces = "Forces",
  stiffnesses = "Stiffnesses",
  torques = "Torques",
  impulses = "Impulses",
  momenta = "Momenta",
  angularMomenta = "Angular momenta",
  energies = "Energies",
  powers = "Powers",
  stresses = "Stresses",
  counts = "Counts and ratios",
}

/* Figures of tables */
export const enum table {
  xz = "x and z",
  yz = "y and z",
  xy = "x and y",
  rows = "rows",
  plane = "Plane of",
  draw = "Draw",
}
export const tableHistogram = (column: string, rows: string): string => `Histogram of ${column}: ${rows} rows`;
export const tableMost = (from: string, to: string): string => `, most between ${from} and ${to}`;
export const tableOuterRing = (rows: string): string => `outer ring: ${rows} rows`;
export const tableRose = (name: string, plane: string, rows: string, angle: number, axis: string): string => `Rose of ${name} in the plane of ${plane}: ${rows} rows, most at ${angle}° from ${axis}`;
export const tableDirections = (name: string): string => `directions: ${name}`;
