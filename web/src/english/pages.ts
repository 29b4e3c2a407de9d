/** Texts of the pages: the list of jobs, one job, the gallery, runs compared, and setting up a run. The first word of a name is the page or panel. */

/* Several pages */
export const errorOfDashboard = (message: string): string => (message === "" ? "Something went wrong in the dashboard." : `Something went wrong in the dashboard: ${message}`);
export const enum shared {
  tryAgain = "Try again",
  sceneLoading = "Loading the scene …",
  newRun = "New run",
  allJobs = "All jobs",
}
export const deleteQuestion = (job: number): string => `Delete job ${job} and its recording? This can't be undone.`;
export const noSuchScene = (name: string): string => `There is no scene called "${name}" in the gallery.`;

/* State of a job */
export const enum state {
  queued = "Queued",
  running = "Running",
  paused = "Paused",
  succeeded = "Succeeded",
  failed = "Failed",
  cancelled = "Cancelled",
  cancelling = "Cancelling",
  doubtful = "Succeeded, with doubts",
}
export const stateDamaged = (state: string): string => `${state}, damaged since`;
export const stateDamage = (message: string): string => `The recording is damaged: ${message}`;
export const cancelQuestion = (job: number, title: string, begun: boolean): string =>
  `Cancel job ${job}, ${title}? ${begun ? "What it has recorded so far is kept." : "It has not started yet."} A cancelled run can't go on.`;

/* List of jobs */
export const enum jobs {
  title = "Jobs",
  older = "Older jobs",
  empty = "Nothing has run here yet",
  emptyIntroduction = "Scree crushes, shatters and shakes matter made of pieces. Start with the experiment below: within seconds you see it move and its curve grow.",
  emptyGallery = "The gallery is empty. Submit a scene from the command line: scree submit scene.json.",
  setUpFirst = "or look at its parameters first",
  readGuide = "or read how to write a scene of your own",
}
export const jobsRunFirst = (title: string): string => `Run: ${title}`;

/* Search in the list of jobs */
export const enum filter {
  all = "all",
  notEnded = "not ended",
  succeeded = "succeeded",
  failed = "failed",
  cancelled = "cancelled",
  newestFirst = "newest first",
  oldestFirst = "oldest first",
  byName = "by name",
  endedLastFirst = "last ended first",
  byPriority = "by priority",
  words = "Words in name, title or notes",
  search = "Search jobs",
  state = "State",
  method = "Method",
  study = "Study",
  order = "Order",
  tagExample = "key:value",
  user = "User",
  userExample = "name",
  tag = "Tag",
}
export const enum found {
  jobs = "Jobs found",
  more = "More",
  none = "No job matches.",
}

/* One job in the list */
export const rowProgress = (job: number): string => `Progress of job ${job}`;
export const rowPick = (job: number): string => `Pick job ${job}`;
export const rowEditLabel = (job: number): string => `Edit name, tags and notes of job ${job}`;
export const enum row {
  edit = "Edit",
  showTag = "Show the jobs with this tag",
  delete = "Delete",
  cancel = "Cancel",
}
export const rowDeleteLabel = (job: number, title: string): string => `Delete job ${job}, ${title}`;
export const rowCancelLabel = (job: number, title: string): string => `Cancel job ${job}, ${title}`;
export const rowTimes = (simulated: string, duration: string): string => `${simulated} of ${duration}`;
export const rowLeft = (duration: string): string => `${duration} left`;
export const rowEstimate = (count: string, what: string, duration: string): string => `${count} ${what}, about ${duration}`;
export const rowRanks = (ranks: number): string => `${ranks} processes`;
export const rowPlace = (place: number): string => (place === 1 ? "next in the queue" : `number ${place} in the queue`);

/* Jobs that are picked */
export const enum picked {
  compare = "Compare",
  title = "Picked jobs",
  tag = "Tag",
  cancel = "Cancel",
  delete = "Delete",
  recordings = "Recordings",
  none = "Pick none",
  tagQuestion = "Tags to add to the picked jobs, as key: value, key: value",
  allEnded = "All picked jobs have already ended.",
  notEnded = "Jobs that have not ended can't be deleted: cancel them first.",
}
export const pickedCount = (count: number): string => `${count} picked`;
export const pickedCancelQuestion = (count: number): string => `Cancel ${count} of the picked jobs? A cancelled run can't go on.`;
export const pickedDeleteQuestion = (count: number): string => `Delete ${count === 1 ? "1 job and its recording" : `${count} jobs and their recordings`}? This can't be undone.`;

/* Name, tags and notes of a job */
export const enum editor {
  tagsExample = "key: value, key: value",
  save = "Save",
  name = "Name",
  tags = "Tags",
  notes = "Notes",
  cancel = "Cancel",
}
export const editorTitle = (job: number): string => `Change job ${job}`;

/* One job */
export const enum job {
  waitingQueued = "Waiting for a free slot. The picture appears when the run starts.",
  waitingRunning = "The run is starting.",
  waitingPaused = "Paused before anything was recorded.",
  nothingRecorded = "Nothing was recorded.",
  loading = "Loading the job …",
  events = "Events",
  showMoment = "Show this moment",
  noneWhy = "It was deleted, or it never existed.",
}
export const jobTitle = (job: number): string => `Job ${job}`;
export const jobCurveName = (job: number, title: string): string => `Job ${job}: ${title || "this one"}`;
export const jobNone = (job: number): string => `There is no job ${job}`;

/* Head of a job */
export const enum head {
  methodTitle = "Equations, limits and validation of this method",
  doubts = "Doubts",
  doubtsEnded = "The run has ended, but its results are open to doubt:",
  doubtsSoFar = "So far, the results are open to doubt:",
  resume = "Resume",
  pause = "Pause",
  cancel = "Cancel run",
  delete = "Delete",
  runAgain = "Run again …",
  runVariant = "Run a variant …",
  varyTitle = "A study: run this scene many times, with its parameters varied",
  vary = "Vary …",
  onProcessor = "on the processor",
  onGpuOrProcessor = "on a GPU if there is one",
  onProcessorForGpu = "on the processor, as there was no GPU",
  gpu = "the first GPU",
}
export const headRanks = (ranks: number): string => `on ${ranks} processes`;
export const headDevice = (name: string): string => `on ${name}`;
export const headDeviceBy = (name: string, opener: string): string => `on ${name} by ${opener}`;
export const headExecutor = (executor: string, partition: string): string => (partition === "" ? `at ${executor}` : `at ${executor}, partition ${partition}`);
export const headKernel = (what: string, variant: string): string => `${what}: ${variant}`;
export const headKernelAs = (what: string, variant: string, same: string): string => `${what}: ${variant}, with the bits of ${same}`;
export const headAttempt = (attempt: number, most: number): string => `attempt ${attempt} of ${most}`;
export const headSubmitted = (when: string, user: string): string => `submitted ${when}${user === "" ? "" : ` by ${user}`}`;
export const headDamage = (found: string, message: string): string => `The recording was found to be damaged ${found}: ${message}. What was recorded before the damage can still be read. To clear this mark, put an intact copy of the file back in its place.`;

/* Numbers of a run */
export const enum numbers {
  progressBar = "Progress of the run",
  title = "Progress",
  timeLeft = "Time left",
  simulatedTime = "Simulated time",
  step = "Step",
  speed = "Speed",
  notStarted = "not started yet",
  took = "Run time",
  notKnown = "not known yet",
  paused = "paused",
  stage = "Stage",
}
export const numbersOf = (done: string, whole: string): string => `${done} of ${whole}`;
export const numbersEstimate = (duration: string): string => `takes about ${duration}`;
export const numbersStepsPerSecond = (count: string): string => `${count} steps/s`;
export const numbersSkipped = (frames: number, shown: string): string => `${shown} ${frames === 1 ? "frame was" : "frames were"} skipped to keep the picture live; the time line has all of them.`;

/* Time line */
export const timelineStage = (stage: string, time: string): string => `${stage}, from ${time}`;
export const enum timeline {
  playTitle = "Play or pause (space)",
  shown = "Time shown",
  liveTitle = "Follow the run (L)",
  live = "Live",
  rate = "Frames per second while playing",
  backTitle = "One frame back (←)",
  back = "One frame back",
  forwardTitle = "One frame forward (→)",
  forward = "One frame forward",
  title = "Time",
  pause = "Pause",
  play = "Play",
}
export const timelineFramesPerSecond = (rate: number): string => `${rate} fps`;

/* 3D view of a job */
export const enum stage {
  keys = "Space: play · ← →: step · L: live · F: fit · C: clip · V: next field",
  keySurface = "S: surface",
  noWebGL = "This browser has no WebGL 2, so there is no 3D view here. Curves and downloads still work.",
}
export const stageLabel = (time: string, elements: number): string => `3D view at ${time}: ${elements} elements`;

/* Results of a run */
export const enum results {
  title = "Results",
  runChanged = "Run the changed scene …",
}
export const resultsTooMany = (rows: string): string => `${rows} rows are too many to show here: Download has them all.`;

/* Download */
export const downloadAnswer = (status: number): string => `the server answered with status ${status}`;
export const enum download {
  noSample = "No sample has been recorded yet",
  recording = "The whole run, to be read by Scree's programs",
  noRecording = "Nothing has been recorded yet",
  noPlot = "The scene declares no plot; the plot above can be saved instead",
  title = "Download",
  noSurface = "Nothing in this run has a surface",
  noFrame = "No frame is shown yet",
}
export const downloadPicture = (table: string): string => `${table}: picture of the newest state`;
export const downloadMore = (count: number, job: number): string => `and ${count} more: scree fetch ${job} downloads all files`;
export const downloadSurface = (format: string): string => `All surfaces of the frame that is shown, as ${format}`;
export const downloadFailed = (file: string, reason: string): string => `${file} could not be saved: ${reason}`;

/* Gallery */
export const galleryPicture = (title: string): string => `${title}, during the run`;
export const galleryTime = (duration: string): string => `about ${duration} here`;
export const gallerySoon = (duration: string): string => `below ${duration} here`;
export const enum gallery {
  loading = "Loading the gallery …",
  introduction = "Choose an experiment to start from. Every parameter can be changed before it runs. Run times are what a scene's check says, for one thread of this server.",
  nodes = "nodes",
  method = "Method",
  all = "All",
  setUp = "Set up",
  more = "More",
  blank = "Blank scene",
  blankMethod = "any method",
  blankText = "One small block of one material and nothing else: add a rig, specimens and a loading program of your own.",
  startBlank = "Start blank",
}
export const gallerySetUpLabel = (title: string): string => `Set up ${title}`;
export const galleryMoreLabel = (title: string): string => `More about ${title}`;

/* One scene of the gallery */
export const exampleName = (name: string): string => `Its name is ${name}.`;
export const enum example {
  run = "Run as it is",
  allScenes = "All scenes",
  json = "The scene as JSON",
}

/* Setting up a run */
export const composeNoMethod = (method: string): string => `The method "${method}" does not take scenes of this job's method.`;
export const enum compose {
  newStudy = "New study",
  startOver = "Start over",
  form = "Form",
  json = "JSON",
  run = "Run",
  how = "How to edit the scene",
  broken = "The JSON is not complete yet",
  noObject = "A scene must be a JSON object.",
  yourName = "Your name",
  yourNameHelp = "Runs are listed with it, and found by it. Nothing checks it; this browser remembers it.",
}
export const composeStudyOf = (title: string): string => `New study: ${title}`;
export const composeRestored = (when: string): string => `Your unfinished changes from ${when} have been restored.`;

/* Runs compared */
export const enum compare {
  runTime = "Run time",
  loading = "Loading the runs …",
  curves = "Compare curves",
  title = "Compare",
  run = "Run",
  same = "The scenes differ only in name, title or description.",
  table = "Differences and results",
  horizontal = "Horizontal axis",
  vertical = "Vertical axis",
  scatter = "Results over parameters",
  y = "y",
  x = "x",
}
export const compareCurvesTitle = (count: number): string => `Curves of the ${count} runs whose pictures are shown`;
export const compareHeading = (count: number): string => `${count} runs compared`;
export const compareMore = (count: number): string => `and ${count} more ${count === 1 ? "difference" : "differences"}`;
export const compareScatterLabel = (y: string, x: string, count: number): string => `${y} over ${x} for ${count} runs`;

/* Pictures of compared runs */
export const viewsLabel = (job: number): string => `3D view of job ${job}`;
export const enum views {
  noWebGL = "This browser has no WebGL 2, so there is no 3D view here.",
  clock = "Time in all runs",
  play = "Play",
  pause = "Pause",
  fit = "Fit",
  title = "Pictures",
  oneCamera = "Same camera",
  previous = "Previous runs",
  next = "Next runs",
}
export const viewsRuns = (first: number, last: number, count: number): string => `Runs ${first} to ${last} of ${count}`;
