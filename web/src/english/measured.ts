/** Texts of measured curves: the dialog that reads a file of a testing machine, and the curves laid over a plot. The first word of a name is the panel. */

/* Curves laid over a plot */
export const enum kept {
  label = "Measured curves that are stored",
  choose = "Measured …",
  fileTitle = "A CSV file of a testing machine; you can also drop it on a plot",
  file = "Measured file …",
  reading = "Reading …",
  calibrate = "Calibrate to this",
}
export const measuredCurve = (name: string): string => `Measured: ${name}`;
export const measuredTooLarge = (file: string): string => `${file} is larger than 16 MiB, the most that can be read: leave rows out.`;
export const measuredRemove = (name: string): string => `Remove ${name} from the plots`;
export const measuredChip = (name: string, y: string, x: string): string => `${name} (${y} over ${x})`;

/* Dialog */
export const enum read {
  asFound = "as found",
  tab = "tab",
  semicolon = "semicolon",
  comma = "comma",
  blank = "blank",
  point = "point",
  separator = "Separator",
  decimal = "Decimal sign",
  columnX = "Column of x",
  columnY = "Column of y",
  scatter = "Scatter of y",
  notKnown = "not known",
  lay = "Lay over the run",
  calibrate = "Calibrate to this",
  nameLabel = "Name of the curves",
  zeroX = "Zero of x",
  zeroY = "Zero of y",
  preload = "Preload",
  compliance = "Compliance of the machine",
  cancel = "Cancel",
  corrections = "Corrections",
  turnX = "Reverse the sign of x",
  turnY = "Reverse the sign of y",
  title = "Measured curve",
  name = "Name",
  y = "y",
  overX = "over x",
  unit = "unit",
  asIs = "as it is",
}
export const measuredHow = (rows: number, how: string): string => `${rows} rows, read as ${how}`;
export const measuredUnit = (column: string): string => `Unit of ${column}`;
export const measuredIn = (unit: string): string => `in ${unit}:`;
export const measuredDrawn = (samples: number, scatter: boolean): string => `${samples} samples are drawn${scatter ? ", with the band of their scatter" : ""}.`;
