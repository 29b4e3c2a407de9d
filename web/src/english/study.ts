/** Texts of studies: their list, one being set up, one that runs, and its figures. The first word of a name is the page or panel. */

/* List of studies */
export const listDone = (done: string, whole: string): string => `${done} of ${whole}`;
export const listFailed = (count: string): string => `${count} failed`;
export const listRefused = (count: string): string => `${count} refused`;
export const enum list {
  progress = "Rows that have ended",
  setUp = "Set up",
  title = "Studies",
  loading = "Loading …",
  older = "Older studies",
  none = "There is no study yet: start from one below, or write your own.",
  guide = "what a study is",
  new = "New study",
  about = "One scene many times: parameters varied, runs repeated, results in a table",
  start = "To start from",
}
export const listSetUpLabel = (title: string): string => `Set up ${title}`;

/* States of studies and of rows */
export const enum state {
  running = "running",
  stopped = "stopped",
  finished = "finished",
  deleting = "deleting",
  waiting = "waiting",
  succeeded = "succeeded",
  failed = "failed",
  cancelled = "cancelled",
  refused = "refused",
}

/* A new study */
export const enum start {
  title = "How far does a block slide?",
  new = "New study",
  loading = "Loading …",
  guide = "The guide",
  how = "Press “Vary” beside each number of the form that the study is about.",
  guideSays = "explains factors, designs and results.",
}
export const startCalibration = (measured: string): string => `Calibration to ${measured}`;
export const startNone = (study: string): string => `There is no study called "${study}" in the gallery.`;

/* One study */
export const enum page {
  grid = "Every combination of",
  rows = "Listed rows of",
  latin = "A Latin hypercube over",
  sobol = "A Sobol sequence over",
  calibrate = "Values that an optimiser chooses for",
  other = "A design over",
  progress = "Rows that have ended",
  stop = "Stop",
  resume = "Resume",
  retry = "Run failed rows again",
  again = "Change and run again",
  delete = "Delete",
  deleteRuns = "Delete with its runs",
  csv = "Table as CSV",
  loading = "Loading the study …",
  all = "All studies",
  table = "Rows",
  rowColumn = "row",
  scenes = "scene",
  state = "State",
  takenOverTitle = "taken over from an earlier run",
}
export const pageRunning = (rows: number): string => `${rows} running`;
export const pageRecordings = (bytes: string): string => `${bytes} of recordings`;
export const pageSure = (action: string): string => `${action}: sure?`;
export const pageTitle = (study: number): string => `Study ${study}`;
export const pageRowCount = (rows: number, shown: string): string => `${shown} ${rows === 1 ? "row" : "rows"}`;
export const pageTakenOver = (state: string): string => `${state}, taken over`;

/* Factors */
export const enum factor {
  values = "List of values",
  linear = "Range, even steps",
  logarithmic = "Range, logarithmic steps",
  range = "Range",
  rangeByLogarithm = "Range, by its logarithm",
  uniform = "Uniform distribution",
  normal = "Normal distribution",
  logNormal = "Log-normal distribution",
  weibull = "Weibull distribution",
  seeds = "Seeds, repeated runs",
  from = "from",
  to = "to",
  mean = "mean",
  median = "median",
  modulus = "modulus",
  scale = "scale",
  deviation = "standard deviation",
  logDeviation = "deviation of the logarithm",
  logarithmicEnd = ", logarithmic",
  name = "Name of the factor",
  several = "several scenes",
  commas = "Separated by commas",
  runs = "Runs",
  steps = "steps",
  uniformWord = "uniform",
  normalWord = "normal",
  logNormalWord = "log-normal",
  weibullWord = "Weibull",
}
export const factorSeedCount = (seeds: string): string => `${seeds} seeds`;
export const factorFromTo = (from: string, to: string): string => `from ${from} to ${to}`;
export const factorHow = (factor: string): string => `How ${factor} varies`;
export const factorRemove = (factor: string): string => `Do not vary ${factor}`;
export const factorMore = (places: number): string => `and ${places} more`;
export const factorComponent = (factor: string): string => `Component of ${factor}`;
export const factorInScene = (value: string): string => `; ${value} in the scene`;
export const factorValuesOf = (factor: string): string => `Values of ${factor}`;
export const factorNumberOf = (number: string, factor: string): string => `${number} of ${factor}`;

/* Results of a study */
export const enum read {
  peak = "Peak of",
  final = "Final value of",
  largest = "Largest",
  smallest = "Smallest",
  mean = "Mean of",
  slope = "Slope of",
  integral = "Integral of",
  what = "What is read",
  curve = "Of which curve",
  overCurve = "Over which curve",
  over = "over",
  add = "Add result",
  title = "Results",
  name = "Name of the result",
}
export const readExpression = (result: string): string => `Expression of ${result}`;
export const readRemove = (result: string): string => `Remove the result ${result}`;

/* A study being set up */
export const enum design {
  hint = "Press “Vary” beside a number of the form, and the study runs this scene once for each of its values.",
  grid = "Every combination",
  latin = "Latin hypercube",
  sobol = "Sobol sequence",
  runsLabel = "Runs of the design",
  runsUnit = "runs",
  json = "The study as JSON",
  start = "Start study",
  title = "Study",
  which = "How values are combined",
  titleLabel = "Title of the study",
  listed = "Rows as listed",
  calibration = "Calibration",
  startCalibration = "Start calibration",
  calibrationHint = "Press “Vary” beside each unknown number of the form: it gets a range to search in.",
  noObject = "a study must be a JSON object",
  warnings = "Warnings:",
  refused = "This study can't run:",
}
export const designRuns = (runs: number, shown: string): string => `${shown} ${runs === 1 ? "run" : "runs"}`;
export const designTime = (duration: string): string => `about ${duration} of one processor core in all`;
export const designDisk = (bytes: string): string => `${bytes} on the disk`;
export const designMemory = (bytes: string): string => `${bytes} of memory each`;
export const designRepeat = (seeds: number): string => `Repeat each with ${seeds} seeds`;
export const designNotJson = (reason: string): string => `This is not a study as JSON: ${reason}`;
export const designRefusals = (checked: string, refused: string): string => `Of ${checked} rows that were checked, ${refused} can't run:`;

/* Targets of a calibration */
export const enum target {
  bobyqa = "Quadratic models (BOBYQA)",
  cobyla = "Linear models (COBYLA)",
  gaussian = "Gaussian process, few long runs",
  crs2 = "Population, many rough runs (CRS2)",
  runsLabel = "Largest number of runs of the calibration",
  method = "How the optimiser searches",
  title = "Fit to",
  atMost = "at most",
  runs = "runs",
  expression = "expression",
}
export const targetPart = (part: string, target: string): string => `${part} of ${target}`;

/* Calibration */
export const enum search {
  point = "point",
  distance = "distance squared",
  label = "Distance of each point of the search",
  calibration = "Calibration",
  title = "The search",
  running = "The search is running.",
  undetermined = "not determined",
  notKnown = "not known yet",
  widen = "; the best lies at one end: widen this range",
  interval = "interval",
  unknown = "unknown",
  bestHead = "best",
  inRange = "in its range",
  rangeHead = "range",
}
export const searchEnded = (why: string): string => `The search has ended: ${why}.`;
export const searchKnown = (known: string, most: string): string => `${known} of at most ${most} points are known`;
export const searchBest = (distance: string, point: number): string => `Best so far: distance ${distance}, at point ${point}.`;
export const searchFailed = (count: string): string => `, ${count} of them failed`;
export const searchRange = (low: string, high: string): string => `${low} to ${high}`;
export const searchLevel = (percent: string): string => `${percent} % interval`;
export const searchOverlay = (target: string): string => `${target}: measured, best run and band`;
export const searchNumber = (target: string, measured: string, best: string): string => `${target}: measured ${measured}, best ${best}`;
export const searchOverlayHead = (target: string): string => `${target}: measured (orange, with its scatter), best run, and the band of the interval`;

/* Effects */
export const enum effects {
  label = "Effects",
  choose = "Choose a result as y of the scatter.",
  few = "At least two rows must have succeeded.",
  title = "Main effects and interactions",
  none = "No factor varies among these rows.",
  rest = "rest: repetitions, higher interactions",
  many = "More than 64 different values.",
  rows = "rows",
}
export const effectsShare = (result: string, rows: string, fit: boolean): string => `Share of the variance of ${result} over ${rows} rows${fit ? ", by a fit" : ""}.`;
export const effectsPredicted = (share: string, trusted: boolean): string => `The fit predicts ${share} of the variance of rows it has not seen${trusted ? "" : ": do not trust the shares, more rows are needed"}.`;
export const effectsCorrelation = (value: string): string => `correlation ${value}`;
export const effectsMean = (result: string): string => `mean of ${result}`;

/* Repeated runs */
export const bandsLogarithm = (result: string): string => `log10 of ${result}`;
export const bandsStrength = (rows: string, mean: string, deviation: string): string => `${rows} rows, mean ${mean}, deviation ${deviation}`;
export const enum bands {
  noFit = "; no Weibull fit: it needs at least three values above 0",
  each = "For each value of",
  all = "all together",
  result = "Result",
  x = "Curve of x",
  y = "Curve of y",
  title = "Repeated runs",
  draw = "Bands of",
  over = "over",
  weibull = "Weibull plot of",
  reading = "Reading the recordings …",
  none = "No row has these curves yet.",
  noResults = "The study has no results.",
}
export const bandsHalve = (rows: string): string => `; ${rows} rows would halve the interval of the modulus`;
export const bandsModulus = (modulus: string, low: string, high: string): string => `; modulus ${modulus} (${low} to ${high})`;
export const bandsScale = (scale: string, low: string, high: string): string => `, scale ${scale} (${low} to ${high})`;
export const bandsLabel = (y: string, x: string): string => `${y} over ${x}: bands of repeated runs`;
export const bandsCurves = (count: string): string => `${count} curves; median, and the band of 90 % of them`;
export const bandsWeibullLabel = (result: string): string => `Weibull plot of ${result}`;

/* Parallel coordinates */
export const enum axes {
  colouredLabel = "Coloured by",
  all = "All rows",
  title = "Parallel coordinates",
  coloured = "coloured by",
  none = "No row has ended yet.",
  hint = "Drag along an axis to keep the rows inside a range.",
  and = " and ",
}
export const axesLabel = (columns: string): string => `Parallel coordinates of ${columns}`;
export const axesInside = (inside: string, rows: string, columns: string): string => `${inside} of ${rows} rows inside ${columns}`;

/* Scatter */
export const enum scatter {
  x = "Column of x",
  y = "Column of y",
  title = "Scatter",
  over = "over",
  none = "No row has both values yet.",
}
export const scatterOf = (y: string, x: string): string => `${y} over ${x}`;
export const scatterCorrelation = (value: string): string => `: correlation ${value}`;

/* Saving a figure */
export const enum figure {
  saveLabel = "Save the figure",
  save = "Save as",
}
